import type { AcceptedPart, ReceiptStatus } from '../../carriers/carrier.js';

export interface SentEvent {
  type: 'sent';
  id: string;
  requestId?: string | null;
  /** The event is ignored if a newer attempt owns the message. */
  attempt: number;
  carrier: string;
  carrierMessageId: string;
  /** Receipts name the carrier's ID only, so a row of `carrier_references` must lead from it to the message. */
  needsReference: boolean;
  /** Set when the carrier gave each part its own ID and will report on each. */
  parts?: readonly AcceptedPart[];
  /** Set when this carrier is not the one in the message's row. */
  replacesCarrier?: boolean;
  at: Date;
}

export interface ReceiptSource {
  /** Null if the ID is unique across carriers. */
  carrier: string | null;
  /** In its stored form (`toStorableId`). */
  carrierMessageId: string;
  /** Null if the carrier does not report it. */
  attempt: number | null;
}

export interface ReceiptEvent {
  type: 'receipt';
  id: string;
  /** Null if the report is known to be about the attempt that owns the message. */
  source: ReceiptSource | null;
  status: ReceiptStatus;
  /** As in `Receipt`. */
  overridesFailure?: boolean;
  at: Date;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface RetryEvent {
  type: 'retry';
  id: string;
  requestId?: string | null;
  attempt: number;
  delayMs: number;
  pausedChannelId?: string;
  errorCode: string;
  errorMessage: string;
  /** The carrier's answer was lost, so it may have accepted the message. */
  maybeAccepted: boolean;
  acceptedParts?: { carrier: string; parts: readonly AcceptedPart[] };
}

export const CANCELED = 'CANCELED';

/** `canceled`: the cancellation was requested while a worker held the message. */
export interface EndEvent {
  type: 'end';
  id: string;
  requestId?: string | null;
  attempt: number;
  status: 'failed' | 'rejected' | 'expired' | 'canceled';
  at: Date;
  errorCode: string;
  errorMessage: string;
  /** The carrier's last answer was lost, or it accepted a part, so the message is not refunded. */
  maybeAccepted: boolean;
  acceptedParts?: { carrier: string; parts: readonly AcceptedPart[] };
}

export type StatusEvent = SentEvent | ReceiptEvent | RetryEvent | EndEvent;

/** The order in which every statement locks messages, to prevent deadlocks. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
