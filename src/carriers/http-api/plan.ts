import type { IncomingHttpHeaders } from 'node:http';
import type { ReceiptStatus } from '../carrier.js';
import type { HttpCall } from '../http/client.js';
import type { InboundFile } from '../inbound-message.js';
import type { Expression } from './answer/expression.js';
import type { JsonPath } from './answer/json-path.js';
import type { Pattern } from './answer/pattern.js';
import type { JsonTemplate } from './request/template.js';

/** At most one of `form` and `json` is set. */
export interface RequestPlan {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
  json?: JsonTemplate;
}

export type AuthPlan =
  | { kind: 'none' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'header'; name: string; value: string }
  | { kind: 'query' | 'form'; values: Readonly<Record<string, string>> }
  /** OAuth client credentials grant (RFC 6749, 4.4). */
  | { kind: 'oauth'; tokenUrl: string; clientId: string; clientSecret: string; scope: string | null }
  | { kind: 'signed'; authorization(now: Date): string }
  /** The vendor's SDK signs the request. */
  | { kind: 'written'; write(call: HttpCall): Promise<HttpCall> };

/** Finds a value: the first that one of several JSON paths selects, or the first group of a pattern. */
export type Finder = { paths: readonly JsonPath[] } | { pattern: Pattern };

/**
 * `final` ends the message, and after `again` the message is retried. `throttled` pauses the carrier; `credit` (no money left)
 * and `credentials` pause the carrier until an operator fixes the problem. `lost` means that the message may have been
 * accepted.
 */
export type Meaning = 'final' | 'again' | 'throttled' | 'credit' | 'credentials' | 'lost';

export interface PartsPlan {
  items: JsonPath;
  id: JsonPath;
  /** Path of a part's status, which is `acceptedStatus` for an accepted part and an error code for a refused part. */
  status: JsonPath;
  acceptedStatus: string;
  message: JsonPath;
}

/**
 * If `success` does not hold, the message was refused. The meaning of the refusal comes from the first case whose condition
 * holds, or else from the code (see `meanings`), or else from the HTTP status.
 */
export interface AnswerPlan {
  success: Expression;
  /** The vendor's message ID. */
  id: Finder | null;
  parts?: PartsPlan;
  code: Finder | null;
  message: Finder | null;
  /** The first case whose condition holds decides the meaning. */
  cases?: readonly { when: Expression; meaning: Meaning }[];
  /** Vendor error codes by meaning; `30*` matches all codes that start with `30`. */
  meanings: Readonly<Partial<Record<Meaning, readonly string[]>>>;
}

/** Places where a value may be found, in the item or in the query; the first value found is used. */
export type ReportPath = readonly { inQuery: boolean; path: JsonPath }[];

export interface ReceiptPlan {
  /** Path of a list of receipts, or of a single receipt. */
  items: JsonPath;
  /** Selects the items that are receipts. Null selects all items. */
  when: Expression | null;
  id: ReportPath;
  status: ReportPath;
  /** Matches intermediate reports, which are ignored because another report follows. */
  isInterim?: Expression;
  /** Identifies the part that a receipt is about, for vendors whose parts share the ID of the message. */
  readPart?(item: unknown): { key: string; total: number | null } | null;
  /**
   * Maps the vendor's states, in lower case or as a prefix with `*`, to our statuses. A state that is not final is mapped to
   * null.
   */
  states: Readonly<Record<string, ReceiptStatus | null>>;
  code: ReportPath | null;
  message: ReportPath | null;
  at: ReportPath | null;
}

export interface InboundPlan {
  items: JsonPath;
  when: Expression | null;
  id: ReportPath | null;
  from: ReportPath;
  /** Our number, or `*` to match all recipients of a group message. */
  to: ReportPath;
  text: ReportPath;
  /** Decodes the text of an inbound message. Binary messages are returned as base64. */
  decode?(item: unknown): { body: string; isBinary?: boolean } | null;
  deriveId?(item: unknown): string | null;
  findFiles?(item: unknown): InboundFile[];
  ourNumber?: string | undefined;
  at: ReportPath | null;
  part: { reference: ReportPath; total: ReportPath; number: ReportPath } | null;
}

export interface VendorCall {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  ip: string;
  pathSecret: string | null;
}

/** Returns the reason why a call is not genuine, worded as the end of a sentence, or null for a genuine call. */
export type Verify = (call: VendorCall, now: Date) => string | null;

export interface ReportingTopic {
  /** Returns null if no certificate must be fetched. */
  findMissingCertificateUrl(call: VendorCall): URL | null;
  /** @returns whether it is valid */
  addCertificate(url: URL, pem: string): boolean;
  classify(body: Buffer): 'report' | 'confirmation' | 'end';
  buildConfirmationUrl(body: Buffer): URL;
}

export interface PollPlan {
  kind: ReportKind;
  everySeconds: number;
  request: RequestPlan;
  /** True if there is one request for each message without a receipt; false if one request covers all messages. */
  perMessage: boolean;
}

export interface BalancePlan {
  request: RequestPlan;
  amount: Finder;
  currency: Finder | null;
}

export type ReportKind = 'receipts' | 'inbound' | 'events';

export interface Plan {
  /** Display name, e.g. `Twilio`. */
  vendor: string;
  /** Whose ID a receipt contains: the vendor's message ID, our ID of the attempt, or our ID of the message. */
  ids: 'vendor' | 'attempts' | 'ours';
  send: RequestPlan;
  auth: AuthPlan;
  answer: AnswerPlan;
  encodings: { gsm7: string; ucs2: string };
  /** In seconds. */
  shortestValidity: number;
  longestValidity: number;
  balance: BalancePlan | null;
  /**
   * Matches file hosts that belong to the vendor, and that therefore receive the API credentials when an MMS file is fetched.
   */
  fileHosts?: RegExp;
  /** Public URL of Heliograph, or null if the vendor cannot call Heliograph. */
  publicUrl: string | null;
  /** Null if the operator enters the receipt URL in the vendor's settings. */
  receiptsTo: ReportKind | null;
  pathSecret: string | null;
  receipts: ReceiptPlan | null;
  inbound: InboundPlan | null;
  /** Parses the query for vendors that do not encode all of it in UTF-8. */
  readQuery?(url: string): Readonly<Record<string, unknown>>;
  /** Verifies calls; null if calls cannot be verified, in which case all calls are refused. */
  verify: Verify | null;
  sns: ReportingTopic | null;
  callbackAnswer: string | object;
  /** Default: text/plain. */
  callbackAnswerType?: string;
  polls: readonly PollPlan[];
  /** Limit per process. */
  ratePerSecond: number | null;
  /** Concurrent requests per process. */
  parallel: number;
  timeoutMs: number;
}
