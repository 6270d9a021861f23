import type { MessageContent } from '../../carriers/content.js';
import type { MessageStatus } from '../../messages/message-status.js';
import { describeHold } from '../../messages/quiet-hours/recipient-hours.js';
import type { FoundMessage } from '../../messages/status/find-message.js';
import type { MessageTry, SupersededReceipt } from '../../platform/generated/prisma/client.js';
import { readIdTime } from '../../platform/ids.js';
import type { CountedLink } from '../links/link-store.js';
import type { StatusEvent } from './history-store.js';

/** In chronological order. */
export const STEP_TYPES = [
  'accepted',
  'scheduled',
  'held',
  'claimed',
  'try_failed',
  'next_try',
  'sent',
  'part',
  'superseded_receipt',
  'delivered',
  'read',
  'clicked',
  'ended',
  'refunded',
  'fallback',
  'callback',
  'webhook',
] as const;

export type StepType = (typeof STEP_TYPES)[number];

export interface StepError {
  code: string;
  message: string;
}

/** Fields that do not apply to a step's type are null. */
export interface Step {
  at: Date;
  type: StepType;
  status: string | null;
  attempt: number | null;
  /** From 1. */
  part: number | null;
  carrier: string | null;
  error: StepError | null;
  /** Whether the carrier may have accepted the message although its response was lost. */
  maybeAccepted: boolean;
  messageId: string | null;
  event: StatusEvent | null;
  link: Pick<CountedLink, 'target' | 'clicks'> | null;
}

export interface HistoryRows {
  foundMessage: FoundMessage;
  tries: readonly MessageTry[];
  superseded: readonly SupersededReceipt[];
  events: readonly StatusEvent[];
  links: readonly CountedLink[];
}

/** The timeline does not show claims by processes that died. */
export function buildTimeline({ foundMessage, tries, superseded, events, links }: HistoryRows): Step[] {
  const steps = [
    ...buildMessageSteps(foundMessage),
    ...tries.map((each) =>
      createStep('try_failed', each.failedAt, {
        attempt: each.attempt,
        error: { code: each.errorCode, message: each.errorMessage },
        maybeAccepted: each.maybeAccepted,
      }),
    ),
    ...foundMessage.holds.map((hold) =>
      createStep('held', hold.heldAt, {
        status: 'queued',
        error: { code: 'QUIET_HOURS', message: describeHold(hold) },
      }),
    ),
    ...foundMessage.parts.flatMap((part) =>
      part.endedAt
        ? [createStep('part', part.endedAt, { part: part.part, status: part.status, error: toStepError(part) })]
        : [],
    ),
    ...superseded.map((receipt) =>
      createStep('superseded_receipt', receipt.occurredAt, {
        status: receipt.status,
        attempt: receipt.attempt,
        carrier: receipt.carrier,
        error: toStepError(receipt),
      }),
    ),
    ...buildFallbackSteps(foundMessage),
    ...links.flatMap(({ firstClickedAt, target, clicks }) =>
      firstClickedAt ? [createStep('clicked', firstClickedAt, { link: { target, clicks } })] : [],
    ),
    ...events.map((event) =>
      createStep(event.isCallback ? 'callback' : 'webhook', event.lastAttemptAt ?? event.createdAt, {
        status: event.status,
        event,
      }),
    ),
  ];
  return steps.sort(
    (a, b) => a.at.getTime() - b.at.getTime() || STEP_TYPES.indexOf(a.type) - STEP_TYPES.indexOf(b.type),
  );
}

function buildMessageSteps({ message }: FoundMessage): Step[] {
  const { createdAt, scheduledAt, sendingAt, sentAt, deliveredAt, readAt, endedAt, status, carrier } = message;
  const isWaitingForRetry = message.leaseUntil === null && message.notBefore !== null;
  const times: [StepType, Date | null, Partial<Step>][] = [
    ['accepted', createdAt, { status: 'queued' }],
    ['scheduled', scheduledAt, {}],
    ['claimed', sendingAt, { status: 'sending', attempt: 1 }],
    [
      'next_try',
      isWaitingForRetry && status === 'sending' ? message.notBefore : null,
      { attempt: message.attempts + 1 },
    ],
    ['sent', sentAt, { status: 'sent', carrier }],
    ['delivered', deliveredAt, { status: 'delivered' }],
    ['read', readAt, { status: 'read' }],
    ['ended', endedAt, { status, error: toStepError(message) }],
    ['refunded', message.refunded ? endedAt : null, {}],
  ];
  return times.flatMap(([type, at, more]) => (at ? [createStep(type, at, more)] : []));
}

function buildFallbackSteps({ message, fallback }: FoundMessage): Step[] {
  // A message that was delivered after a reported failure has no `endedAt`.
  const failedAt = message.endedAt ?? message.deliveredAt;
  if (!fallback || !failedAt) return [];
  const { smsId } = fallback;
  const status = smsId ? 'accepted' : fallback.nextLook ? 'due' : 'refused';
  return [
    createStep('fallback', smsId ? readIdTime(smsId) : failedAt, {
      status,
      messageId: smsId,
      error: toStepError(fallback),
    }),
  ];
}

function createStep(type: StepType, time: Date, more: Partial<Step>): Step {
  return {
    at: time,
    type,
    status: null,
    attempt: null,
    part: null,
    carrier: null,
    error: null,
    maybeAccepted: false,
    messageId: null,
    event: null,
    link: null,
    ...more,
  };
}

export function toStepError(failure: { errorCode: string | null; errorMessage: string | null }): StepError | null {
  const { errorCode, errorMessage } = failure;
  if (errorCode === null && errorMessage === null) return null;
  return { code: errorCode ?? '', message: errorMessage ?? '' };
}

/** Returns whether the message still waits unclaimed and no carrier can have accepted it. */
export function isCancelable(message: FoundMessage['message']): boolean {
  const waiting: readonly MessageStatus[] = ['queued', 'sending'];
  return (
    message.surface === 'a' && waiting.includes(message.status) && message.leaseUntil === null && !message.maybeAccepted
  );
}

/** Null for plain text. */
export function toMessageContent(message: FoundMessage['message']): MessageContent | null {
  return message.content as MessageContent | null;
}
