import type { MessageContent } from '../../carriers/content.js';
import type { MessageStatus } from '../../messages/message-status.js';
import type { FoundMessage } from '../../messages/status/find-message.js';
import type { MessageTry, SupersededReceipt } from '../../platform/generated/prisma/client.js';
import { timeOfId } from '../../platform/ids.js';
import type { ToldEvent } from './history-store.js';

/** What can stand in the history of a message, in the order of its way. */
export const STEP_TYPES = [
  'accepted',
  'scheduled',
  'claimed',
  'try_failed',
  'next_try',
  'sent',
  'part',
  'superseded_receipt',
  'delivered',
  'read',
  'ended',
  'refunded',
  'fallback',
  'callback',
  'webhook',
] as const;

export type StepType = (typeof STEP_TYPES)[number];

/** Why something did not come about. */
export interface StepError {
  code: string;
  message: string;
}

/** One step in the history of a message. What does not belong to its type is null. */
export interface Step {
  at: Date;
  type: StepType;
  /** The status that the message, its part, its fallback or its delivery came into. */
  status: string | null;
  /** Which try it was. */
  attempt: number | null;
  /** Which part, from 1. */
  part: number | null;
  carrier: string | null;
  error: StepError | null;
  /** Of an answer that was lost: the message may be on its way nevertheless. */
  maybeAccepted: boolean;
  /** The SMS of a fallback. */
  messageId: string | null;
  /** What was told to whom. */
  event: ToldEvent | null;
}

/** What the history of a message is made of. */
export interface HistoryRows {
  found: FoundMessage;
  tries: readonly MessageTry[];
  superseded: readonly SupersededReceipt[];
  events: readonly ToldEvent[];
}

/**
 * The history of a message in order of time. Nearly all of it is derived from what the store holds anyway: the times of the
 * message's row, its parts, its fallback and the deliveries of its events. Only tries that failed, receipts about attempts
 * that no longer owned the message, and failures that were replaced, have rows of their own, so a try that was claimed by a process which died then is not shown.
 */
export function timelineOf({ found, tries, superseded, events }: HistoryRows): Step[] {
  const steps = [
    ...stepsOfMessage(found),
    ...tries.map((each) =>
      step('try_failed', each.failedAt, {
        attempt: each.attempt,
        error: { code: each.errorCode, message: each.errorMessage },
        maybeAccepted: each.maybeAccepted,
      }),
    ),
    ...found.parts.flatMap((part) =>
      part.endedAt ? [step('part', part.endedAt, { part: part.part, status: part.status, error: errorOf(part) })] : [],
    ),
    ...superseded.map((receipt) =>
      step('superseded_receipt', receipt.occurredAt, {
        status: receipt.status,
        attempt: receipt.attempt,
        carrier: receipt.carrier,
        error: errorOf(receipt),
      }),
    ),
    ...stepsOfFallback(found),
    ...events.map((event) =>
      step(event.isCallback ? 'callback' : 'webhook', event.lastAttemptAt ?? event.createdAt, {
        status: event.status,
        event,
      }),
    ),
  ];
  return steps.sort(
    (a, b) => a.at.getTime() - b.at.getTime() || STEP_TYPES.indexOf(a.type) - STEP_TYPES.indexOf(b.type),
  );
}

function stepsOfMessage({ message }: FoundMessage): Step[] {
  const { createdAt, scheduledAt, sendingAt, sentAt, deliveredAt, readAt, endedAt, status, carrier } = message;
  const waits = message.leaseUntil === null && message.notBefore !== null;
  const times: [StepType, Date | null, Partial<Step>][] = [
    ['accepted', createdAt, { status: 'queued' }],
    ['scheduled', scheduledAt, {}],
    ['claimed', sendingAt, { status: 'sending', attempt: 1 }],
    ['next_try', waits && status === 'sending' ? message.notBefore : null, { attempt: message.attempts + 1 }],
    ['sent', sentAt, { status: 'sent', carrier }],
    ['delivered', deliveredAt, { status: 'delivered' }],
    ['read', readAt, { status: 'read' }],
    ['ended', endedAt, { status, error: errorOf(message) }],
    ['refunded', message.refunded ? endedAt : null, {}],
  ];
  return times.flatMap(([type, at, more]) => (at ? [step(type, at, more)] : []));
}

function stepsOfFallback({ message, fallback }: FoundMessage): Step[] {
  // A failure that was replaced by a delivery leaves no end.
  const since = message.endedAt ?? message.deliveredAt;
  if (!fallback || !since) return [];
  const { smsId } = fallback;
  const status = smsId ? 'accepted' : fallback.nextLook ? 'due' : 'refused';
  return [step('fallback', smsId ? timeOfId(smsId) : since, { status, messageId: smsId, error: errorOf(fallback) })];
}

function step(type: StepType, at: Date, more: Partial<Step>): Step {
  return {
    at,
    type,
    status: null,
    attempt: null,
    part: null,
    carrier: null,
    error: null,
    maybeAccepted: false,
    messageId: null,
    event: null,
    ...more,
  };
}

/** The code and words of a failure; null where there is none. */
export function errorOf(of: { errorCode: string | null; errorMessage: string | null }): StepError | null {
  const { errorCode, errorMessage } = of;
  if (errorCode === null && errorMessage === null) return null;
  return { code: errorCode ?? '', message: errorMessage ?? '' };
}

/** Whether the sender may still cancel it: it waits, nobody works on it, and no carrier may have it. */
export function mayBeCanceled(message: FoundMessage['message']): boolean {
  const waiting: readonly MessageStatus[] = ['queued', 'sending'];
  return (
    message.surface === 'a' && waiting.includes(message.status) && message.leaseUntil === null && !message.maybeAccepted
  );
}

/** What a message holds beside its text. */
export function contentOf(message: FoundMessage['message']): MessageContent | null {
  return message.content as MessageContent | null;
}
