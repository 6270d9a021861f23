import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { DeliveryEntry } from '../../../../features/webhooks/delivery-log.js';
import type { Webhook } from '../../../../features/webhooks/webhooks.js';
import { ACCOUNT_EVENT_TYPES } from '../../../../messages/events/webhook-events.js';
import { RULE } from '../../../http/validation.js';
import {
  WebhookAuthToken,
  WebhookEnabled,
  WebhookUrl,
  webhookEvents,
} from '../../../resources/records/webhook-fields.js';
import {
  Delivery,
  deliveryRecord,
  WebhookRecord,
  WebhookWithSecret,
  webhookRecord,
} from '../../../resources/records/webhook-schemas.js';
import { toSnakeCase, toSnakeCaseSchema } from '../../../resources/snake-case.js';

const Events = webhookEvents(ACCOUNT_EVENT_TYPES, ['message.status', 'account.balance_low']);

/** The webhook format `meta` is missing because it exists only for WhatsApp channels. */
const Format = Type.Unsafe<'standard' | 'twilio'>({
  type: 'string',
  enum: ['standard', 'twilio'],
  default: 'standard',
  description: '`twilio`: `message.received` and `message.status` as forms with Twilio’s fields and signature.',
  [RULE]: 'must be standard or twilio',
});

export const WebhookBody = Type.Object({
  url: WebhookUrl,
  events: Events,
  format: Type.Optional(Format),
  auth_token: Type.Optional(WebhookAuthToken),
});
export const WebhookChanges = Type.Object({
  url: Type.Optional(WebhookUrl),
  events: Type.Optional(Events),
  is_active: Type.Optional(WebhookEnabled),
});

export const WebhookView = toSnakeCaseSchema(WebhookRecord);
export const WebhookViewWithSecret = toSnakeCaseSchema(WebhookWithSecret);

export const DeliveryView = toSnakeCaseSchema(Delivery);

export function answerSchema<T extends TSchema>(data: T) {
  return Type.Object({
    status: Type.Literal('success'),
    message: Type.String({ description: 'What was done.' }),
    code: Type.Integer({ examples: [200] }),
    data,
  });
}

export function answer<T>(message: string, data: T) {
  return { status: 'success' as const, message, code: 200, data };
}

export function webhookView(webhook: Webhook): Static<typeof WebhookView> {
  return toSnakeCase(webhookRecord(webhook));
}

export function deliveryView(delivery: DeliveryEntry): Static<typeof DeliveryView> {
  return toSnakeCase(deliveryRecord(delivery));
}
