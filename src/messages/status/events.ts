import type { AcceptedPart, ReceiptStatus } from '../../carriers/carrier.js';
import type { FailureCode } from '../../carriers/failure-codes.js';

export interface SentEvent {
  type: 'sent';
  id: string;
  requestId?: string | null;
  /** The event is ignored if a newer attempt owns the message. */
  attempt: number;
  carrier: string;
  carrierMessageId: string;
  /**
   * Set if receipts contain only the carrier's ID, because a row of `carrier_references` is then needed to find the
   * message.
   */
  needsReference: boolean;
  /** Set if the carrier gave each part its own ID and will report on each part. */
  parts?: readonly AcceptedPart[];
  /** Set if the accepting carrier is not the carrier in the message's row. */
  replacesCarrier?: boolean;
  at: Date;
}

export interface ReceiptSource {
  /** Carrier name, or null if the ID is unique across carriers. */
  carrier: string | null;
  /** Carrier's message ID in its stored form (`toStorableId`). */
  carrierMessageId: string;
  /** Attempt number, or null if the carrier does not report it. */
  attempt: number | null;
}

export interface ReceiptEvent {
  type: 'receipt';
  id: string;
  /** Source of the report, or null if the report is known to be about the attempt that owns the message. */
  source: ReceiptSource | null;
  status: ReceiptStatus;
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
  /** Whether the carrier may have accepted the message, because its response was lost. */
  maybeAccepted: boolean;
  acceptedParts?: { carrier: string; parts: readonly AcceptedPart[] };
}

export const CANCELED = 'CANCELED' satisfies FailureCode;

/** A message ends as `canceled` if the cancellation was requested after a worker had claimed it. */
export interface EndEvent {
  type: 'end';
  id: string;
  requestId?: string | null;
  attempt: number;
  status: 'failed' | 'rejected' | 'expired' | 'canceled';
  at: Date;
  errorCode: string;
  errorMessage: string;
  /** Set if the carrier's last response was lost or a part was accepted, so that the message is not refunded. */
  maybeAccepted: boolean;
  acceptedParts?: { carrier: string; parts: readonly AcceptedPart[] };
}

export type StatusEvent = SentEvent | ReceiptEvent | RetryEvent | EndEvent;

/** Sorts messages in the order in which every statement locks them, to prevent deadlocks. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
