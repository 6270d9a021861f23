import type { ReceiptStatus } from '../../carriers/carrier.js';
import type { ReceiptEvent, SentEvent } from './events.js';

/** What can become of a message, in the order of its way; the values after `read` are final. */
export const REACHED_STATUSES = [
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'rejected',
  'expired',
  'canceled',
] as const;

/** In the order of a message's way. */
export const MESSAGE_STATUSES = ['queued', 'sending', ...REACHED_STATUSES] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** How far one or several events bring a message; times that did not come are null. */
export interface Progress {
  id: string;
  /** Null when the carrier's answer is not among the events: the message must then be `sent` already. */
  sent: SentEvent | null;
  status: 'sent' | ReceiptStatus;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/**
 * Folds events into one progress per message: the furthest status, with the times of all on the way. A final failure
 * is not taken back by a later receipt, and a delivery is not undone by a later failure. Of two attempts that a carrier took
 * the later one owns the message, in whatever order they are told: the result of an older one is void.
 */
export function foldProgress(events: readonly (SentEvent | ReceiptEvent)[]): Progress[] {
  const folded = new Map<string, Progress>();
  for (const event of events) {
    const known = folded.get(event.id);
    if (!known) folded.set(event.id, beginProgress(event));
    else if (event.type === 'receipt') applyReceipt(known, event);
    else if (!known.sent || event.attempt > known.sent.attempt) known.sent = event;
  }
  return [...folded.values()];
}

function beginProgress(event: SentEvent | ReceiptEvent): Progress {
  const progress: Progress = {
    id: event.id,
    sent: event.type === 'sent' ? event : null,
    status: 'sent',
    deliveredAt: null,
    readAt: null,
    endedAt: null,
    errorCode: null,
    errorMessage: null,
  };
  if (event.type === 'receipt') applyReceipt(progress, event);
  return progress;
}

function applyReceipt(progress: Progress, receipt: ReceiptEvent): void {
  switch (receipt.status) {
    case 'delivered':
      if (progress.status !== 'sent') return;
      progress.status = 'delivered';
      progress.deliveredAt = receipt.at;
      return;
    case 'read':
      if (progress.status !== 'sent' && progress.status !== 'delivered') return;
      progress.status = 'read';
      // Meta may report `read` without `delivered`; what was read was delivered.
      progress.deliveredAt ??= receipt.at;
      progress.readAt = receipt.at;
      return;
    default:
      if (progress.status !== 'sent') return;
      progress.status = receipt.status;
      progress.endedAt = receipt.at;
      progress.errorCode = receipt.errorCode;
      progress.errorMessage = receipt.errorMessage;
  }
}

/** Whether a receipt moves a message of this status, or will once the message is marked sent. */
export function mayMove(receipt: ReceiptStatus, status: MessageStatus): boolean {
  if (status === 'delivered') return receipt === 'read';
  return status === 'queued' || status === 'sending' || status === 'sent';
}

/** The row of a message as far as its status and times are concerned. */
export interface StatusTimes {
  status: MessageStatus;
  createdAt: Date;
  sendingAt: Date | null;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
}

/** When a message came into its present status. */
export function statusChangedAt(message: StatusTimes): Date {
  const byStatus: Partial<Record<MessageStatus, Date | null>> = {
    queued: message.createdAt,
    sending: message.sendingAt,
    sent: message.sentAt,
    delivered: message.deliveredAt,
    read: message.readAt,
  };
  const time = message.status in byStatus ? byStatus[message.status] : message.endedAt;
  return time ?? message.createdAt;
}
