import type { IncomingHttpHeaders } from 'node:http';
import type { ReceiptStatus } from '../carrier.js';
import type { HttpCall } from '../http/client.js';
import type { InboundFile } from '../inbound-message.js';
import type { Expression } from './answer/expression.js';
import type { JsonPath } from './answer/json-path.js';
import type { Pattern } from './answer/pattern.js';
import type { JsonTemplate } from './request/template.js';

/** An HTTP request. Its texts may contain variables. At most one of `form` and `json` is set. */
export interface RequestPlan {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
  json?: JsonTemplate;
}

/** How requests are authenticated. */
export type AuthPlan =
  | { kind: 'none' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'header'; name: string; value: string }
  /** Adds fields to the query or form. */
  | { kind: 'query' | 'form'; values: Readonly<Record<string, string>> }
  /** A token from the client credentials grant (RFC 6749, 4.4). */
  | { kind: 'oauth'; tokenUrl: string; clientId: string; clientSecret: string; scope: string | null }
  /** An `Authorization` header computed for each request. */
  | { kind: 'signed'; authorization(now: Date): string }
  /** The vendor's SDK builds and signs the request from its JSON. */
  | { kind: 'written'; write(call: HttpCall): Promise<HttpCall> };

/** Extracts a text from a response: at the first JSON path with a value, or by a pattern's first group. */
export type Finder = { paths: readonly JsonPath[] } | { pattern: Pattern };

/**
 * What a refusal means for the message: `final` ends it; `again` retries it; `throttled` pauses the carrier; `credit` (no
 * money left) and `credentials` pause it until an operator fixes the problem; `lost` means it may have been accepted.
 */
export type Meaning = 'final' | 'again' | 'throttled' | 'credit' | 'credentials' | 'lost';

/** Where a response reports on each part of a message. */
export interface PartsPlan {
  /** Path of the list of parts. The other paths start at an entry. */
  items: JsonPath;
  id: JsonPath;
  /** Equals `taken` for an accepted part; otherwise the error code. */
  status: JsonPath;
  taken: string;
  message: JsonPath;
}

/**
 * How to read a response. If `success` does not hold, the message was refused. What that means is decided by, in this order:
 * the first of `cases` whose condition holds; the code, by `meanings`; the HTTP status (429 `throttled`, 402 `credit`,
 * 401/403/407 `credentials`, 408/425/503 `again`, other 5xx `lost`, other 4xx `final`, see `outcome.ts`).
 */
export interface AnswerPlan {
  /** Holds if the message was accepted. */
  success: Expression;
  /** The vendor's message ID. */
  id: Finder | null;
  /** For vendors that accept or refuse each part separately. */
  parts?: PartsPlan;
  code: Finder | null;
  message: Finder | null;
  /** Override `meanings`; the first match applies. */
  cases?: readonly { when: Expression; meaning: Meaning }[];
  /** Vendor codes by meaning. `30*` matches all codes with that prefix. */
  meanings: Readonly<Partial<Record<Meaning, readonly string[]>>>;
}

/** Alternative locations of a value, in the item or in the query. The first one with a value is used. */
export type ReportPath = readonly { inQuery: boolean; path: JsonPath }[];

/** How to read receipts in a report. */
export interface ReceiptPlan {
  /** Path of the list of receipts, or of a single one. */
  items: JsonPath;
  /** Selects the items that are receipts; null: all. */
  when: Expression | null;
  id: ReportPath;
  status: ReportPath;
  /** Matches intermediate reports, which are ignored whatever their state: another report follows. */
  interim?: Expression;
  /** The part that a receipt is about, if all parts share the message's ID; null: the whole message. */
  part?(item: unknown): { key: string; total: number | null } | null;
  /** By the vendor's word in lower case, or a prefix and `*`. Null: not final. */
  states: Readonly<Record<string, ReceiptStatus | null>>;
  code: ReportPath | null;
  message: ReportPath | null;
  at: ReportPath | null;
}

/** How to read inbound messages in a report. */
export interface InboundPlan {
  items: JsonPath;
  when: Expression | null;
  /** Null: the vendor assigns no ID. */
  id: ReportPath | null;
  from: ReportPath;
  /** `*` in place of an index matches all recipients of a group message. */
  to: ReportPath;
  text: ReportPath;
  /** Decodes the text, or returns a binary message as base64. Null: `text` needs no decoding. */
  decode?(item: unknown): { body: string; isBinary?: boolean } | null;
  /** Builds the ID from several fields. */
  idFrom?(item: unknown): string | null;
  files?(item: unknown): InboundFile[];
  /** Our number, if the report does not contain it. */
  ourNumber?: string | undefined;
  at: ReportPath | null;
  /** Set if the vendor reports parts of longer messages separately. */
  part: { reference: ReportPath; total: ReportPath; number: ReportPath } | null;
}

/** A vendor's call, as seen by its verification. */
export interface VendorCall {
  method: string;
  /** The full URL the vendor called, based on `publicUrl`. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  ip: string;
  /** The secret in the path, if any. */
  pathSecret: string | null;
}

/** Returns why a call is not genuine, as the rest of a sentence; null if it is. */
export type Verify = (call: VendorCall, now: Date) => string | null;

/** An Amazon SNS topic: fetching what its calls are verified with, and confirming subscriptions. */
export interface ReportingTopic {
  /** The URL of the certificate a call needs, if it is not yet known. Null also if no valid URL is named. */
  missingCertificateUrl(call: VendorCall): URL | null;
  /** Adds a fetched certificate. @returns whether it is valid */
  addCertificate(url: URL, pem: string): boolean;
  /** The type of a verified call. */
  kindOf(body: Buffer): 'report' | 'confirmation' | 'end';
  /** The URL that confirms the subscription a verified call is about. */
  confirmationUrl(body: Buffer): URL;
}

/** Polls the vendor for reports. */
export interface PollPlan {
  kind: ReportKind;
  everySeconds: number;
  request: RequestPlan;
  /** True: one request per message without a receipt. False: one request for all. */
  perMessage: boolean;
}

export interface BalancePlan {
  request: RequestPlan;
  amount: Finder;
  currency: Finder | null;
}

/** What a callback endpoint accepts; `events` are receipts and messages. */
export type ReportKind = 'receipts' | 'inbound' | 'events';

/** Complete description of a vendor's API, built from a preset or from generic settings. */
export interface Plan {
  /** Display name, e.g. `Twilio`. */
  vendor: string;
  /**
   * Which IDs receipts contain: the vendor's; ours, one per attempt; or ours, the same for all attempts (the vendor then
   * ignores repeated requests).
   */
  ids: 'vendor' | 'attempts' | 'ours';
  send: RequestPlan;
  auth: AuthPlan;
  answer: AnswerPlan;
  encodings: { gsm7: string; ucs2: string };
  /** In seconds. */
  shortestValidity: number;
  longestValidity: number;
  balance: BalancePlan | null;
  /** Further hosts of the vendor that serve MMS files and accept the API's credentials. */
  fileHosts?: RegExp;
  /** This server's public URL, without trailing slash. Null: the vendor cannot call us. */
  publicUrl: string | null;
  /** Which callback endpoint requests name for their receipts. Null: the operator configures the URL at the vendor. */
  receiptsTo: ReportKind | null;
  /** A secret at the end of callback paths; null: none. */
  pathSecret: string | null;
  receipts: ReceiptPlan | null;
  inbound: InboundPlan | null;
  /** Parses the raw query of a call, for vendors that do not encode all of it in UTF-8. */
  readQuery?(url: string): Readonly<Record<string, unknown>>;
  /** Null: calls cannot be verified, so all are refused. */
  verify: Verify | null;
  /** The Amazon SNS topic through which the vendor reports; null: it calls us directly. */
  sns: ReportingTopic | null;
  /** Response body that the vendor expects. */
  callbackAnswer: string | object;
  /** Content type of a text body. Default: text/plain. */
  callbackAnswerType?: string;
  polls: readonly PollPlan[];
  /** Messages per second and process; null: unlimited. */
  ratePerSecond: number | null;
  /** Concurrent requests per process. */
  parallel: number;
  timeoutMs: number;
}
