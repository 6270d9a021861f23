import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../features/webhooks/delivery-log.js';
import { ACCOUNT_WEBHOOK_EVENTS } from '../../../features/webhooks/outbox.js';
import type { Webhook } from '../../../features/webhooks/webhooks.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import {
  DeliveryBody,
  DeliveryId,
  DeliveryState,
  DeliveryTruncated,
  DISABLED_REASON,
  LastError,
  PREVIOUS_SECRET,
  WebhookEnabled,
  WebhookSecret,
  WebhookUrl,
  webhookEvents,
} from '../../http/schemas/webhooks.js';

const Events = webhookEvents(ACCOUNT_WEBHOOK_EVENTS, ['message.status', 'account.balance_low']);
const NullableTime = Type.Union([Timestamp, Type.Null()]);

export const WebhookBody = Type.Object({ url: WebhookUrl, events: Events });
export const WebhookChanges = Type.Object({
  url: Type.Optional(WebhookUrl),
  events: Type.Optional(Events),
  is_active: Type.Optional(WebhookEnabled),
});

const WEBHOOK = {
  id: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  disabled_reason: Type.Union([Type.String(), Type.Null()], { description: DISABLED_REASON }),
  failing_since: Type.Union([Timestamp, Type.Null()], { description: 'Since when every delivery fails.' }),
  previous_secret_expires_at: Type.Union([Timestamp, Type.Null()], { description: PREVIOUS_SECRET }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** A webhook of the account as its apps see it. */
export const WebhookView = Type.Object(WEBHOOK);
export const WebhookViewWithSecret = Type.Object({ ...WEBHOOK, secret: WebhookSecret });

/** One event for one webhook, and what became of it. */
export const DeliveryView = Type.Object({
  id: DeliveryId,
  type: Type.String({ examples: ['message.status'] }),
  body: DeliveryBody,
  body_truncated: DeliveryTruncated,
  status: DeliveryState,
  attempts: Type.Integer(),
  last_status_code: Type.Union([Type.Integer(), Type.Null()]),
  last_error: LastError,
  created_at: Timestamp,
  last_attempt_at: NullableTime,
  next_attempt_at: Type.Union([Timestamp, Type.Null()], { description: 'Null once it is delivered or given up.' }),
  delivered_at: NullableTime,
});

/** A success in the envelope of version 2. */
export function answerOf<T extends TSchema>(data: T) {
  return Type.Object({
    status: Type.Literal('success'),
    message: Type.String({ description: 'What was done, in words.' }),
    code: Type.Integer({ examples: [200] }),
    data,
  });
}

/** A success in the shape of `answerOf`. */
export function answer<T>(message: string, data: T) {
  return { status: 'success' as const, message, code: 200, data };
}

export function webhookView(webhook: Webhook): Static<typeof WebhookView> {
  const { id, url, events, isActive, disabledReason, failingSince, previousSecretExpiresAt } = webhook;
  return {
    id,
    url,
    events,
    is_active: isActive,
    disabled_reason: disabledReason,
    failing_since: iso(failingSince),
    previous_secret_expires_at: iso(previousSecretExpiresAt),
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function deliveryView(delivery: DeliveryEntry): Static<typeof DeliveryView> {
  const { id, type, body, bodyTruncated, status, attempts, lastStatusCode, lastError } = delivery;
  return {
    id,
    type,
    body,
    body_truncated: bodyTruncated,
    status,
    attempts,
    last_status_code: lastStatusCode,
    last_error: lastError,
    created_at: delivery.createdAt.toISOString(),
    last_attempt_at: iso(delivery.lastAttemptAt),
    next_attempt_at: iso(delivery.nextAttemptAt),
    delivered_at: iso(delivery.deliveredAt),
  };
}

function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
