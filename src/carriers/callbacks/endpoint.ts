import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Carrier } from '../carrier.js';

/** A carrier's HTTP call before its body is read. */
export interface CallHead {
  method: string;
  /** Raw path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  query: Readonly<Record<string, unknown>>;
  /** The endpoint's path parameters and `carrier`. */
  params: Readonly<Record<string, string>>;
  /** The caller's address, according to TRUST_PROXY. */
  ip: string;
}

export interface CarrierCall extends CallHead {
  /** The raw body, for any content type; may be empty. */
  body: Buffer;
}

export interface CallOutcome {
  /** Committed before the response is sent, and processed later by the type's `apply`. */
  store?: Buffer;
  /** Body of the 200 response: text, or an object sent as JSON. */
  answer: string | object;
  /** Content type of a text body. Default: text/plain. */
  answerType?: string;
  /** Runs before the response is sent, for calls that need more than storing. @throws {AppError} sent as the response instead */
  complete?(): Promise<void>;
}

/** Declared by a carrier type. The carrier passed to its methods is always of this type. */
export interface CallbackEndpoint {
  method: 'GET' | 'POST';
  /** Path below `/callbacks/<type>/<carrier>`, e.g. `/status`. Default: none. */
  path?: string;
  /** Maximum body size in bytes. Default: 1 MiB. */
  bodyLimit?: number;
  /**
   * Rejects calls that cannot be genuine before their body is read.
   * @throws {AppError} sent as the response
   */
  admit?(carrier: Carrier, call: CallHead, log: Logger): void;
  /**
   * Fetches what verification needs and this process lacks, such as a certificate.
   * @throws {AppError} sent as the response
   */
  prepare?(carrier: Carrier, call: CarrierCall, log: Logger): Promise<void>;
  /**
   * Parses the body only as far as needed; `apply` does the rest.
   * @throws {AppError} sent as the response; nothing is stored
   */
  handle(carrier: Carrier, call: CarrierCall, log: Logger): CallOutcome;
}
