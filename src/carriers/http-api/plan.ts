import type { IncomingHttpHeaders } from 'node:http';
import type { ReceiptStatus } from '../carrier.js';
import type { HttpCall } from '../http/client.js';
import type { InboundFile } from '../inbound-message.js';
import type { Expression } from './answer/expression.js';
import type { JsonPath } from './answer/json-path.js';
import type { Pattern } from './answer/pattern.js';
import type { JsonTemplate } from './request/template.js';

/** A request, whose texts hold variables. At most one of `form` and `json` is there. */
export interface RequestPlan {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
  json?: JsonTemplate;
}

/** How a request says who we are. */
export type AuthPlan =
  | { kind: 'none' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'header'; name: string; value: string }
  /** Fields of the query, or of the form. */
  | { kind: 'query' | 'form'; values: Readonly<Record<string, string>> }
  /** A token by the client credentials grant (RFC 6749, 4.4). */
  | { kind: 'oauth'; tokenUrl: string; clientId: string; clientSecret: string; scope: string | null }
  /** A header that is made anew for each request. */
  | { kind: 'signed'; authorization(now: Date): string }
  /** The SDK of the vendor writes the request out of its JSON, and signs it. */
  | { kind: 'written'; write(call: HttpCall): Promise<HttpCall> };

/** A part of an answer: at the first path of its JSON where something stands, or by the first group of a pattern. */
export type Finder = { paths: readonly JsonPath[] } | { pattern: Pattern };

/**
 * What a code of the vendor means: the message is refused for good; another time it may be taken; it asks for a pause; the
 * money there is used up, or who we are is refused, and nothing is taken until an operator has seen to it; or the message may
 * have been taken.
 */
export type Meaning = 'final' | 'again' | 'throttled' | 'credit' | 'credentials' | 'lost';

/** Where an answer says what became of each part of a message. */
export interface PartsPlan {
  /** To the list of them; the others begin at an entry. */
  items: JsonPath;
  id: JsonPath;
  /** What stands there of a part that was taken is `taken`; of another, the code of its refusal. */
  status: JsonPath;
  taken: string;
  message: JsonPath;
}

export interface AnswerPlan {
  /** Whether the message was taken. */
  success: Expression;
  /** The vendor's id of the message. */
  id: Finder | null;
  /** Of a vendor that takes each part of a message by itself and reports on each. */
  parts?: PartsPlan;
  code: Finder | null;
  message: Finder | null;
  /** What an answer means in spite of its code, by the first condition that holds. */
  cases?: readonly { when: Expression; meaning: Meaning }[];
  /** By code, or by its beginning and `*`. */
  meanings: Readonly<Partial<Record<Meaning, readonly string[]>>>;
}

/** Where in a report stands what: at the first of some places where something does, in an item or in the query. */
export type ReportPath = readonly { inQuery: boolean; path: JsonPath }[];

/** How receipts are told. */
export interface ReceiptPlan {
  /** To the list of them, or to the only one. */
  items: JsonPath;
  /** Which items are receipts; every one unless told. */
  when: Expression | null;
  id: ReportPath;
  status: ReportPath;
  /** Reports that are not final, whatever their state says: another one follows. */
  interim?: Expression;
  /** The part that an item is about, of a message whose parts share one ID; null: the whole message. */
  part?(item: unknown): { key: string; total: number | null } | null;
  /** By the vendor's word in lower case, or by its beginning and `*`; null: it is on its way. */
  states: Readonly<Record<string, ReceiptStatus | null>>;
  code: ReportPath | null;
  message: ReportPath | null;
  at: ReportPath | null;
}

/** How messages of telephones are told. */
export interface InboundPlan {
  items: JsonPath;
  when: Expression | null;
  /** Null: the vendor gives none. */
  id: ReportPath | null;
  from: ReportPath;
  /** With `*` in the place of an index, of a message to several numbers. */
  to: ReportPath;
  text: ReportPath;
  /** The decoded text, or the octets of a binary message as base64. Null: the field `text` needs no decoding. */
  decode?(item: unknown): { body: string; isBinary?: boolean } | null;
  /** The vendor's ID, if it is made of several fields. */
  idFrom?(item: unknown): string | null;
  /** The files of an MMS. */
  files?(item: unknown): InboundFile[];
  /** Digits of our number, where the vendor does not tell it. */
  ourNumber?: string | undefined;
  at: ReportPath | null;
  /** Of a part of a longer one. */
  part: { reference: ReportPath; total: ReportPath; number: ReportPath } | null;
}

/** A call of the vendor, as what verifies it sees it. */
export interface VendorCall {
  method: string;
  /** As the vendor calls it, by the public address that the operator set. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Address of the caller. */
  ip: string;
  /** The secret in the path; null where there is none. */
  pathSecret: string | null;
}

/** Why a call is not the vendor's; null where it is. */
export type Verify = (call: VendorCall, now: Date) => string | null;

/** A topic of Amazon SNS: what must be asked of SNS so that its calls are verified, and what they are about. */
export interface ReportingTopic {
  /** Where the certificate of a call lies that is not known yet; null where none is needed, or none can be meant. */
  missingCertificate(call: VendorCall): URL | null;
  /** Keeps a certificate that was fetched. @returns whether it is one */
  learn(url: URL, pem: string): boolean;
  /** What a verified call is about: a report, the end of a subscription, or the question whether one is meant. */
  kindOf(body: Buffer): 'report' | 'confirmation' | 'end';
  /** Where a subscription is confirmed that a verified call asks about. */
  confirmationOf(body: Buffer): URL;
}

/** Asks the vendor again and again for what it has to report. */
export interface PollPlan {
  kind: ReportKind;
  everySeconds: number;
  request: RequestPlan;
  /** Once for each message whose receipt is missing; else one request for all. */
  perMessage: boolean;
}

export interface BalancePlan {
  request: RequestPlan;
  amount: Finder;
  currency: Finder | null;
}

/** What a report may hold: receipts, messages, or both. */
export type ReportKind = 'receipts' | 'inbound' | 'events';

/** How the API of a vendor is spoken: what a preset, or the settings of an API of one's own, come to. */
export interface Plan {
  /** As it stands in texts, e.g. `Twilio`. */
  vendor: string;
  /**
   * Which IDs receipts name: the vendor's; ours of the attempt; or ours of the message, where the vendor knows every attempt
   * by it.
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
  /** Where this server is reached from outside, without a slash at the end; null: the vendor calls us nowhere. */
  publicUrl: string | null;
  /** Which of our addresses receipts are asked to be sent to; null: an operator tells the vendor. */
  receiptsTo: ReportKind | null;
  /** Stands in the paths that the vendor calls; null: none does. */
  pathSecret: string | null;
  receipts: ReceiptPlan | null;
  inbound: InboundPlan | null;
  /** The fields of a call's query, where it is not in UTF-8 altogether, from its path and query as they came. */
  readQuery?(url: string): Readonly<Record<string, unknown>>;
  /** Null: nothing tells a call of the vendor from any other, so that none is taken. */
  verify: Verify | null;
  /** The topic of Amazon SNS by which the vendor reports; null: it calls us itself. */
  sns: ReportingTopic | null;
  /** What a call is answered with, where the vendor wants to read something. */
  callbackAnswer: string | object;
  /** Content type of a text; plain unless told. */
  callbackAnswerType?: string;
  polls: readonly PollPlan[];
  /** Messages per second of each process; null: as many as come. */
  ratePerSecond: number | null;
  /** Requests of each process at once. */
  parallel: number;
  timeoutMs: number;
}
