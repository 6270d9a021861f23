import type { ReceiptStatus } from '../../carriers/carrier.js';
import type { MessageStatus } from '../message-status.js';
import type { ReceiptEvent, ReceiptSource, SentEvent } from './events.js';
import { isAboutAttempt } from './report-ownership.js';

/** The time of a step is null if none of the events reports the step. */
export interface Progress {
  id: string;
  events: (SentEvent | ReceiptEvent)[];
  /** Attempt that the report is about, or null if that attempt is known to own the message. */
  source: ReceiptSource | null;
  /** Event that marks the message sent, or null if the message must already be `sent`. */
  sent: SentEvent | null;
  status: 'sent' | ReceiptStatus;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
  overridesFailure: boolean;
}

/**
 * A later failure does not undo a delivery. A failure is final unless a later receipt overrides failures. Only the row knows
 * which attempt owns the message, so events of different attempts are not combined.
 */
export function foldProgress(events: readonly (SentEvent | ReceiptEvent)[]): Progress[] {
  const allProgress: Progress[] = [];
  const firstByMessage = new Map<string, Progress>();
  for (const event of events) {
    if (event.type !== 'sent') continue;
    const first = firstByMessage.get(event.id);
    if (first === undefined) firstByMessage.set(event.id, addTo(allProgress, startProgress(event.id, null, event)));
    else if (event.attempt > (first.sent as SentEvent).attempt) {
      first.sent = event;
      first.events = [event];
    }
  }
  const furtherByKey = new Map<string, Progress>();
  for (const event of events) {
    if (event.type !== 'receipt') continue;
    const first = firstByMessage.get(event.id);
    let progress: Progress;
    if (first === undefined) {
      progress = addTo(allProgress, startProgress(event.id, event.source, null));
      firstByMessage.set(event.id, progress);
    } else if (isAboutSame(first, event.source)) {
      progress = first;
    } else {
      const { carrier, attempt, carrierMessageId } = event.source ?? {};
      const key = [event.id, carrier, attempt, carrierMessageId].join(' ');
      progress = furtherByKey.get(key) ?? addTo(allProgress, startProgress(event.id, event.source, null));
      furtherByKey.set(key, progress);
    }
    progress.events.push(event);
    applyReceipt(progress, event);
  }
  return allProgress;
}

function addTo(allProgress: Progress[], progress: Progress): Progress {
  allProgress.push(progress);
  return progress;
}

function isAboutSame({ sent, source: known }: Progress, source: ReceiptSource | null): boolean {
  if (sent !== null) return source !== null && isAboutAttempt(source, sent);
  if (known === null || source === null) return known === source;
  return (
    known.carrierMessageId === source.carrierMessageId &&
    known.carrier === source.carrier &&
    known.attempt === source.attempt
  );
}

/** A message occurs only once per round, first with the result of its attempt and then with reports. */
export function toRounds(progress: readonly Progress[]): Progress[][] {
  const rounds: Progress[][] = [];
  const nextRounds = new Map<string, number>();
  for (const each of progress) {
    const round = nextRounds.get(each.id) ?? 0;
    nextRounds.set(each.id, round + 1);
    const roundMembers = rounds[round] ?? [];
    roundMembers.push(each);
    rounds[round] = roundMembers;
  }
  return rounds;
}

function startProgress(id: string, source: ReceiptSource | null, sent: SentEvent | null): Progress {
  return {
    id,
    events: sent ? [sent] : [],
    source,
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
      // Meta may report `read` without `delivered`.
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

/** Also returns true if the receipt can move the message only after the message has been marked sent. */
export function canMoveStatus(receipt: ReceiptStatus, status: MessageStatus): boolean {
  if (status === 'delivered') return receipt === 'read';
  return status === 'queued' || status === 'sending' || status === 'sent';
}

export interface StatusTimes {
  status: MessageStatus;
  createdAt: Date;
  sendingAt: Date | null;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
}

export function getStatusTime(message: StatusTimes): Date {
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
