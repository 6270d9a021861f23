import type { Static } from '@sinclair/typebox';
import { moneyToNumber } from '../../../../accounts/money.js';
import type { TemplateContent } from '../../../../carriers/content.js';
import { extractUserId } from '../../../../carriers/numbers/user-ids.js';
import { segment } from '../../../../carriers/sms/segments.js';
import type { KnownPerson } from '../../../../features/contacts/people.js';
import type { MessageHistory } from '../../../../features/message-history/history.js';
import {
  isCancelable,
  type Step,
  toMessageContent,
  toStepError,
} from '../../../../features/message-history/timeline.js';
import { getStatusTime } from '../../../../messages/status/status.js';
import { iso } from '../../../http/schemas/values.js';
import type { MessageData, MessageEntry } from '../../contract/messages/messages-schemas.js';

type Row = MessageHistory['message'];

const SHOWN_CHARACTERS = 160;

/** By contact ID. */
type People = ReadonlyMap<string, KnownPerson>;

export function messageEntry(message: Row, people: People): Static<typeof MessageEntry> {
  return { ...commonFields(message, people), text: message.body.slice(0, SHOWN_CHARACTERS) };
}

function toTemplate({ name, language, shown }: TemplateContent) {
  return { name, language, ...(shown && { shown: { ...shown } }) };
}

export function messageData(
  { message, parts, fallbackOf, timeline }: MessageHistory,
  people: People,
): Static<typeof MessageData> {
  const content = toMessageContent(message);
  return {
    ...commonFields(message, people),
    text: message.body,
    surface: message.surface,
    template: content?.type === 'template' ? toTemplate(content) : null,
    media: content && 'url' in content && content.url ? { type: content.type, url: content.url } : null,
    encoding: message.kind === 'sms' ? segment(message.body).encoding : null,
    priority: message.priority,
    attempts: message.attempts,
    carrierMessageId: message.carrierMessageId,
    contactId: message.contactId,
    conversationId: message.conversationId,
    campaignId: message.campaignId,
    requestId: message.requestId,
    scheduledAt: iso(message.scheduledAt),
    validUntil: message.validUntil.toISOString(),
    metadata: message.metadata as Record<string, string> | null,
    callbackUrl: message.callbackUrl,
    fallbackOf,
    mayBeCanceled: isCancelable(message),
    partList: parts.map((part) => ({
      part: part.part,
      status: part.status,
      at: iso(part.endedAt),
      carrierMessageId: part.carrierMessageId,
      error: toStepError(part),
    })),
    timeline: timeline.map(toStepData),
  };
}

function commonFields(message: Row, people: People): Omit<Static<typeof MessageEntry>, 'text'> {
  const person = message.contactId === null ? undefined : people.get(message.contactId);
  return {
    id: message.id,
    kind: message.kind,
    channelId: message.channelId,
    from: message.sender,
    to: message.recipient,
    userId: person?.userId ?? extractUserId(message.recipient),
    username: person?.username ?? null,
    status: message.status,
    changedAt: getStatusTime(message).toISOString(),
    carrier: message.carrier,
    parts: message.parts,
    price: moneyToNumber(message.priceMicros),
    refunded: message.refunded,
    error: toStepError(message),
    reference: message.reference,
    createdAt: message.createdAt.toISOString(),
  };
}

function toStepData({ at, event, link, ...step }: Step) {
  return {
    ...step,
    at: at.toISOString(),
    link: link && { url: link.target, clicks: link.clicks },
    event: event && {
      id: event.id,
      webhookId: event.isCallback ? null : event.webhookId,
      channelId: event.channelId,
      url: event.url,
      tells: event.reportedStatus,
      attempts: event.attempts,
      lastStatusCode: event.lastStatusCode,
      lastError: event.lastError,
      nextAttemptAt: iso(event.nextAttemptAt),
    },
  };
}
