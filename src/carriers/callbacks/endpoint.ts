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
  /** Committed before the response is sent. */
  store?: Buffer;
  /** Objects are sent as JSON. */
  answer: string | object;
  /** Default: text/plain. */
  answerType?: string;
  /** Runs before the response is sent. @throws {AppError} sent as the response instead */
  complete?(): Promise<void>;
}

/** The carrier passed to the methods is always of the type that declares the endpoint. */
export interface CallbackEndpoint {
  method: 'GET' | 'POST';
  /** Path below `/callbacks/<type>/<carrier>`, e.g. `/status`. Default: none. */
  path?: string;
  /** In bytes. Default: 1 MiB. */
  bodyLimit?: number;
  /**
   * Rejects calls that cannot be genuine before their body is read.
   * @throws {AppError} sent as the response
   */
  admit?(carrier: Carrier, call: CallHead, log: Logger): void;
  /** @throws {AppError} sent as the response */
  prepare?(carrier: Carrier, call: CarrierCall, log: Logger): Promise<void>;
  /**
   * Parses only what verification needs.
   * @throws {AppError} sent as the response; nothing is stored
   */
  handle(carrier: Carrier, call: CarrierCall, log: Logger): CallOutcome;
}
