import type { AcceptedPart, ReceiptStatus } from '../../carriers/carrier.js';

/*
 * What happens to a message after it was accepted, as the status writer takes it: a carrier took it, reported on it, or
 * did not take it, for now or for good.
 */

/** What a carrier took, under which attempt. */
export interface SentEvent {
  type: 'sent';
  id: string;
  /** Of the request that the message came with, for the log. */
  requestId?: string | null;
  /** The attempt that claimed the message; a result of an older attempt is void. */
  attempt: number;
  carrier: string;
  carrierMessageId: string;
  /** Whether receipts are found by a reference row. */
  needsReference: boolean;
  /** Every part, where each of several has an id of its own; receipts then come for each. */
  parts?: readonly AcceptedPart[];
  /** Another carrier took it than the message was assigned to. */
  rerouted?: boolean;
  at: Date;
}

/** Which attempt a receipt is about. */
export interface ReceiptSource {
  /** Null if any carrier's name will do, because the ID is unique without it. */
  carrier: string | null;
  /** As it is stored (`storableId`). */
  carrierMessageId: string;
  /** Null if the carrier does not say. */
  attempt: number | null;
}

/** What a carrier reported about a message it took earlier. */
export interface ReceiptEvent {
  type: 'receipt';
  id: string;
  /** Null if it is known to be about the attempt that owns the message. */
  source: ReceiptSource | null;
  status: ReceiptStatus;
  /** As in `Receipt`. */
  overridesFailure?: boolean;
  at: Date;
  errorCode: string | null;
  errorMessage: string | null;
}

/** A try that failed but may be repeated. */
export interface RetryEvent {
  type: 'retry';
  id: string;
  requestId?: string | null;
  attempt: number;
  delayMs: number;
  /** The channel whose pause it waits for the end of. */
  pausedIn?: string;
  errorCode: string;
  errorMessage: string;
  /** The carrier may have taken the message although its answer was lost. */
  maybeAccepted: boolean;
  /** Parts of it that a carrier has taken. */
  taken?: { carrier: string; parts: readonly AcceptedPart[] };
}

/** Error code of what was canceled before a carrier took it. */
export const CANCELED = 'CANCELED';

/** The end of a message that no carrier took; `canceled` where that was asked for while a worker held it. */
export interface EndEvent {
  type: 'end';
  id: string;
  requestId?: string | null;
  /** The attempt that ends it. */
  attempt: number;
  status: 'failed' | 'rejected' | 'expired' | 'canceled';
  at: Date;
  errorCode: string;
  errorMessage: string;
  /** The last answer was lost, or a part was taken: it is not refunded. */
  maybeAccepted: boolean;
  /** Parts of it that a carrier has taken. */
  taken?: { carrier: string; parts: readonly AcceptedPart[] };
}

export type StatusEvent = SentEvent | ReceiptEvent | RetryEvent | EndEvent;

/** The order in which every statement locks the rows of messages. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
