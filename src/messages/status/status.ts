import type { ReceiptStatus } from '../../carriers/carrier.js';
import type { MessageStatus } from '../message-status.js';
import type { ReceiptEvent, ReceiptSource, SentEvent } from './events.js';
import { isAbout } from './whose-word.js';

/** How far one attempt's events bring a message; times that did not come are null. */
export interface Progress {
  id: string;
  /** What it was folded from. */
  events: (SentEvent | ReceiptEvent)[];
  /** Which attempt the receipts are about; null if that is the owner for certain. */
  source: ReceiptSource | null;
  /** Null when the carrier's answer is not among the events: the message must then be `sent` already. */
  sent: SentEvent | null;
  status: 'sent' | ReceiptStatus;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** It was delivered or read, and that replaces a failure its carrier reported: see `replaceFailures`. */
  overridesFailure: boolean;
}

/**
 * Folds events into one progress for each message and attempt: the furthest status, with the times of all on the way. A delivery
 * is not undone by a later failure, and a failure is final unless the later receipt overrides failures. Attempts stay apart, because
 * only the row knows which of them owns the message: folded together, a failure that does not count would hide one that
 * does. Of two attempts that a carrier took the later one owns the message, in whatever order they come.
 */
export function foldProgress(events: readonly (SentEvent | ReceiptEvent)[]): Progress[] {
  const latest = new Map<string, SentEvent>();
  for (const event of events) {
    if (event.type !== 'sent') continue;
    const known = latest.get(event.id);
    if (!known || event.attempt > known.attempt) latest.set(event.id, event);
  }
  const folded = new Map<string, Progress>();
  for (const sent of latest.values()) folded.set(sent.id, startProgress(sent, sent));
  for (const event of events) {
    if (event.type !== 'receipt') continue;
    const sent = latest.get(event.id);
    const { source } = event;
    const joins = sent !== undefined && source !== null && isAbout(source, sent);
    const key = joins ? event.id : [event.id, source?.carrier, source?.attempt, source?.carrierMessageId].join(' ');
    const progress = folded.get(key) ?? startProgress(event, null);
    folded.set(key, progress);
    progress.events.push(event);
    applyReceipt(progress, event);
  }
  return [...folded.values()];
}

/** Splits progress so that each message is in a round only once: first the result of its attempt, then reports. */
export function toRounds(progress: readonly Progress[]): Progress[][] {
  const rounds: Progress[][] = [];
  const taken = new Map<string, number>();
  for (const each of progress) {
    const round = taken.get(each.id) ?? 0;
    taken.set(each.id, round + 1);
    const together = rounds[round] ?? [];
    together.push(each);
    rounds[round] = together;
  }
  return rounds;
}

function startProgress({ id, ...event }: SentEvent | ReceiptEvent, sent: SentEvent | null): Progress {
  return {
    id,
    events: sent ? [sent] : [],
    source: event.type === 'receipt' ? event.source : null,
    sent,
    status: 'sent',
    deliveredAt: null,
    readAt: null,
    endedAt: null,
    errorCode: null,
    errorMessage: null,
    overridesFailure: false,
  };
}

function applyReceipt(progress: Progress, receipt: ReceiptEvent): void {
  if (receipt.overridesFailure) {
    progress.overridesFailure = true;
    if (progress.status === 'failed') {
      Object.assign(progress, { status: 'sent', endedAt: null, errorCode: null, errorMessage: null });
    }
  }
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
