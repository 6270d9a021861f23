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
  /** Client credentials grant (RFC 6749, 4.4). */
  | { kind: 'oauth'; tokenUrl: string; clientId: string; clientSecret: string; scope: string | null }
  | { kind: 'signed'; authorization(now: Date): string }
  /** The vendor's SDK signs the request. */
  | { kind: 'written'; write(call: HttpCall): Promise<HttpCall> };

/** The first JSON path with a value, or a pattern's first group. */
export type Finder = { paths: readonly JsonPath[] } | { pattern: Pattern };

/**
 * `final` ends the message and `again` retries it. `throttled` pauses the carrier; `credit` (no money left) and
 * `credentials` pause it until an operator fixes the problem. `lost` means that the message may have been accepted.
 */
export type Meaning = 'final' | 'again' | 'throttled' | 'credit' | 'credentials' | 'lost';

export interface PartsPlan {
  items: JsonPath;
  id: JsonPath;
  /** Equals `acceptedStatus` for an accepted part; otherwise the error code. */
  status: JsonPath;
  acceptedStatus: string;
  message: JsonPath;
}

/**
 * If `success` does not hold, the message was refused. The meaning of the refusal then comes from the first case whose
 * condition holds, otherwise from the code (see `meanings`), otherwise from the HTTP status.
 */
export interface AnswerPlan {
  success: Expression;
  /** The vendor's message ID. */
  id: Finder | null;
  parts?: PartsPlan;
  code: Finder | null;
  message: Finder | null;
  /** The first case whose condition holds applies. */
  cases?: readonly { when: Expression; meaning: Meaning }[];
  /** Vendor codes. `30*` matches all codes with that prefix. */
  meanings: Readonly<Partial<Record<Meaning, readonly string[]>>>;
}

/** The first location with a value is used, in the item or in the query. */
export type ReportPath = readonly { inQuery: boolean; path: JsonPath }[];

export interface ReceiptPlan {
  /** Path of a list of receipts, or of a single receipt. */
  items: JsonPath;
  /** Selects the items that are receipts; null: all. */
  when: Expression | null;
  id: ReportPath;
  status: ReportPath;
  /** Matches intermediate reports, which are ignored because another report follows. */
  isInterim?: Expression;
  /** The part a receipt is about, if all parts share the message's ID. */
  readPart?(item: unknown): { key: string; total: number | null } | null;
  /** Keys: the vendor's word in lower case, or a prefix and `*`. Null: not final. */
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
  /** `*` matches all recipients of a group message. */
  to: ReportPath;
  text: ReportPath;
  /** Returns binary messages as base64. */
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

/** Why a call is not genuine, as the rest of a sentence; null if it is. */
export type Verify = (call: VendorCall, now: Date) => string | null;

/** Amazon SNS delivers the vendor's reports. */
export interface ReportingTopic {
  /** Null if no certificate must be fetched. */
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
  /** Whether there is one request per message without a receipt, or one for all. */
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
  /** Receipts contain the vendor's IDs, ours per attempt, or ours for all attempts. */
  ids: 'vendor' | 'attempts' | 'ours';
  send: RequestPlan;
  auth: AuthPlan;
  answer: AnswerPlan;
  encodings: { gsm7: string; ucs2: string };
  /** In seconds. */
  shortestValidity: number;
  longestValidity: number;
  balance: BalancePlan | null;
  /** The vendor's hosts that serve MMS files and accept the API's credentials. */
  fileHosts?: RegExp;
  /** Null: the vendor cannot call us. */
  publicUrl: string | null;
  /** Null: the operator configures the URL at the vendor. */
  receiptsTo: ReportKind | null;
  pathSecret: string | null;
  receipts: ReceiptPlan | null;
  inbound: InboundPlan | null;
  /** For vendors that do not encode all of the query in UTF-8. */
  readQuery?(url: string): Readonly<Record<string, unknown>>;
  /** Null: calls cannot be verified, so all are refused. */
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
