import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Carrier } from '../carrier.js';

/** A call of a carrier, before its body is read. */
export interface CallHead {
  method: string;
  /** Path and query, as they came. */
  url: string;
  headers: IncomingHttpHeaders;
  query: Readonly<Record<string, unknown>>;
  /** What stands in the places of the endpoint's path, and `carrier`. */
  params: Readonly<Record<string, string>>;
  /** Address of the caller, as TRUST_PROXY says. */
  ip: string;
}

/** A call of a carrier. */
export interface CarrierCall extends CallHead {
  /** As it came, whatever its content type; empty where there is none. */
  body: Buffer;
}

/** What becomes of a call. */
export interface CallOutcome {
  /** Committed before the answer goes out, and worked off later by the type's `apply`; left out where nothing is reported. */
  store?: Buffer;
  /** Status 200: text as it is, anything else as JSON. */
  answer: string | object;
  /** Content type of a text; plain unless told. */
  answerType?: string;
  /** Done before the answer goes out, of a call that asks for more than to be stored. @throws {AppError} which is answered instead */
  complete?(): Promise<void>;
}

/**
 * An endpoint that carriers of a type call, as the type declares it: what HTTP itself needs, and where the store is told, is
 * the surface's matter. Its methods are given carriers of the type alone.
 */
export interface CallbackEndpoint {
  method: 'GET' | 'POST';
  /** Below `/callbacks/<type>/<carrier>`, such as `/status`; nothing unless told. */
  path?: string;
  /** Bytes that a body may have; 1 MiB unless told. */
  bodyLimit?: number;
  /**
   * Looks at a call before its body is read: what cannot be genuine is not worth reading.
   * @throws {AppError} which is answered
   */
  admit?(carrier: Carrier, call: CallHead, log: Logger): void;
  /**
   * Has what verifying a call needs and this process has not, such as a certificate.
   * @throws {AppError} which is answered
   */
  prepare?(carrier: Carrier, call: CarrierCall, log: Logger): Promise<void>;
  /**
   * Verifies a call, and says what is stored and answered. It reads of the body no more than that needs: `apply` parses it.
   * @throws {AppError} which is answered; nothing is stored
   */
  take(carrier: Carrier, call: CarrierCall, log: Logger): CallOutcome;
}
