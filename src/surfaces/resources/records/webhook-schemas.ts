import { Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../features/webhooks/delivery-log.js';
import type { WebhookWithSecret as Secretive, Webhook } from '../../../features/webhooks/webhooks.js';
import { CHANNEL_EVENT_TYPES } from '../../../messages/events/webhook-events.js';
import { Id, iso, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import {
  DeliveryBody,
  DeliveryId,
  DeliveryState,
  DeliveryTruncated,
  DISABLED_REASON,
  LastError,
  PREVIOUS_SECRET,
  WebhookAppSecret,
  WebhookAuthToken,
  WebhookEnabled,
  WebhookFormatSchema,
  WebhookSecret,
  WebhookUrl,
  WebhookVerifyToken,
  webhookEvents,
} from './webhook-fields.js';

const Events = webhookEvents(CHANNEL_EVENT_TYPES, ['message.received', 'message.status']);

export const WebhookBody = Type.Object({
  url: WebhookUrl,
  events: Events,
  format: Type.Optional(WebhookFormatSchema),
  verifyToken: Type.Optional(WebhookVerifyToken),
  appSecret: Type.Optional(WebhookAppSecret),
  authToken: Type.Optional(WebhookAuthToken),
});
export const WebhookChanges = Type.Object({
  url: Type.Optional(WebhookUrl),
  events: Type.Optional(Events),
  isActive: Type.Optional(WebhookEnabled),
  verifyToken: Type.Optional(WebhookVerifyToken),
});

const WEBHOOK_FIELDS = {
  id: Id,
  url: Type.String(),
  format: WebhookFormatSchema,
  events: Type.Array(Type.String()),
  isActive: Type.Boolean(),
  disabledReason: Type.Union([Type.String(), Type.Null()], { description: DISABLED_REASON }),
  failingSince: Type.Union([Timestamp, Type.Null()], {
    description: 'When deliveries started to fail; none has succeeded since.',
  }),
  previousSecretExpiresAt: Type.Union([Timestamp, Type.Null()], { description: PREVIOUS_SECRET }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const WebhookRecord = Type.Object(WEBHOOK_FIELDS);
export const WebhookWithSecret = Type.Object({
  ...WEBHOOK_FIELDS,
  secret: WebhookSecret,
});

export const Delivery = Type.Object({
  id: DeliveryId,
  type: Type.String({ examples: ['message.status'] }),
  body: DeliveryBody,
  bodyTruncated: DeliveryTruncated,
  status: DeliveryState,
  attempts: Type.Integer(),
  lastStatusCode: Type.Union([Type.Integer(), Type.Null()]),
  lastError: LastError,
  createdAt: Timestamp,
  lastAttemptAt: NullableTimestamp,
  nextAttemptAt: Type.Union([Timestamp, Type.Null()], {
    description: 'Null once the delivery has succeeded or been given up.',
  }),
  deliveredAt: NullableTimestamp,
});

export function webhookRecord({ failingSince, previousSecretExpiresAt, createdAt, updatedAt, ...webhook }: Webhook) {
  return {
    ...webhook,
    failingSince: iso(failingSince),
    previousSecretExpiresAt: iso(previousSecretExpiresAt),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function recordWithSecret({ secret, ...webhook }: Secretive) {
  return { ...webhookRecord(webhook), secret };
}

export function deliveryRecord({ createdAt, lastAttemptAt, nextAttemptAt, deliveredAt, ...delivery }: DeliveryEntry) {
  return {
    ...delivery,
    createdAt: createdAt.toISOString(),
    lastAttemptAt: iso(lastAttemptAt),
    nextAttemptAt: iso(nextAttemptAt),
    deliveredAt: iso(deliveredAt),
  };
}
