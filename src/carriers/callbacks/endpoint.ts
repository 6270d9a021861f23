import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Carrier } from '../carrier.js';

export interface CallHead {
  method: string;
  /** Raw path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  query: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, string>>;
  /** According to TRUST_PROXY. */
  ip: string;
}

export interface CarrierCall extends CallHead {
  body: Buffer;
}

export interface CallOutcome {
  /** Body to store, which is committed to the database before the response is sent. */
  store?: Buffer;
  /** Response body; an object is sent as JSON. */
  answer: string | object;
  /** Default: text/plain. */
  answerType?: string;
  /**
   * Called before the response is sent.
   * @throws {AppError}
   */
  complete?(): Promise<void>;
}

/** An endpoint's methods always receive a carrier of the carrier type that declares the endpoint. */
export interface CallbackEndpoint {
  method: 'GET' | 'POST';
  /** Path below `/callbacks/<type>/<carrier>`, e.g. `/status`. Default: none. */
  path?: string;
  /** In bytes. Default: 1 MiB. */
  bodyLimit?: number;
  /**
   * Before reading the body, rejects calls that cannot be genuine.
   * @throws {AppError}
   */
  admit?(carrier: Carrier, call: CallHead, log: Logger): void;
  /** @throws {AppError} sent as the response */
  prepare?(carrier: Carrier, call: CarrierCall, log: Logger): Promise<void>;
  /**
   * Parses only the fields that verification needs. If `handle` throws an AppError, the error becomes the response and nothing
   * is stored.
   * @throws {AppError}
   */
  handle(carrier: Carrier, call: CarrierCall, log: Logger): CallOutcome;
}
