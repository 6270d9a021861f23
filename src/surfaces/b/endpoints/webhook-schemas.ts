import { Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../features/webhooks/delivery-log.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../../features/webhooks/outbox.js';
import { MAX_URL_LENGTH } from '../../../features/webhooks/url.js';
import type { Webhook } from '../../../features/webhooks/webhooks.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { iso, NullableTimestamp } from '../answers.js';

const URL_RULE = `must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without user name and password`;
const EVENTS_RULE = `must be an array of 1 to ${WEBHOOK_EVENTS.length} different ones of ${WEBHOOK_EVENTS.join(', ')}`;

const Url = Type.String({
  maxLength: MAX_URL_LENGTH,
  description: 'http or https; a private address is refused, when it is given and whenever it is called.',
  examples: ['https://example.com/hooks/heliograph'],
  [RULE]: URL_RULE,
});

const Events = Type.Array(
  Type.Unsafe<WebhookEventType>({
    type: 'string',
    enum: [...WEBHOOK_EVENTS],
    [RULE]: `must be one of ${WEBHOOK_EVENTS.join(', ')}`,
  }),
  {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    uniqueItems: true,
    examples: [['message.received', 'message.status']],
    [RULE]: EVENTS_RULE,
  },
);

export const WebhookBody = Type.Object({ url: Url, events: Events });
export const WebhookChanges = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  isActive: Type.Optional(
    Type.Boolean({
      description: '`true` enables a webhook again, whoever disabled it.',
      [RULE]: 'must be true or false',
    }),
  ),
});

const WEBHOOK = {
  id: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  isActive: Type.Boolean(),
  disabledReason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the server disabled it: `gone` (answered 410) or `failing` (for five days); null otherwise.',
  }),
  failingSince: Type.Union([Timestamp, Type.Null()], { description: 'Since when every delivery fails.' }),
  previousSecretExpiresAt: Type.Union([Timestamp, Type.Null()], {
    description: 'Until when deliveries are also signed with the secret before the last rotation.',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const WebhookRecord = Type.Object(WEBHOOK);
export const WebhookWithSecret = Type.Object({
  ...WEBHOOK,
  secret: Type.String({
    description: 'Signs deliveries as Standard Webhooks says. It is told this once.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwm0p8sFvT1uE='],
  }),
});

export const Delivery = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Sent as `webhook-id`, the same at every try.' }),
  type: Type.String({ examples: ['message.status'] }),
  status: Type.Unsafe<DeliveryEntry['status']>({ type: 'string', enum: ['pending', 'delivered', 'failed'] }),
  attempts: Type.Integer(),
  lastStatusCode: Type.Union([Type.Integer(), Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()], { examples: ['The endpoint answered 500.'] }),
  createdAt: Timestamp,
  lastAttemptAt: NullableTimestamp,
  nextAttemptAt: Type.Union([Timestamp, Type.Null()], { description: 'Null once it is delivered or given up.' }),
  deliveredAt: NullableTimestamp,
});

/** A webhook in the shape of `WebhookRecord`. */
export function webhookRecord({ failingSince, previousSecretExpiresAt, createdAt, updatedAt, ...webhook }: Webhook) {
  return {
    ...webhook,
    failingSince: iso(failingSince),
    previousSecretExpiresAt: iso(previousSecretExpiresAt),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** A delivery in the shape of `Delivery`. */
export function deliveryRecord({ createdAt, lastAttemptAt, nextAttemptAt, deliveredAt, ...delivery }: DeliveryEntry) {
  return {
    ...delivery,
    createdAt: createdAt.toISOString(),
    lastAttemptAt: iso(lastAttemptAt),
    nextAttemptAt: iso(nextAttemptAt),
    deliveredAt: iso(deliveredAt),
  };
}
