import { type Static, Type } from '@sinclair/typebox';
import { ACCOUNT_EVENT_TYPES } from '../../../messages/events/webhook-events.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { webhookEvents } from '../../resources/records/webhook-fields.js';
import {
  Delivery,
  WebhookBody,
  WebhookChanges,
  WebhookRecord,
  WebhookWithSecret,
} from '../../resources/records/webhook-schemas.js';
import { Version } from './version-schemas.js';

const CONSOLE_FIELDS = {
  madeBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The operator who created it, who may have been removed; null if created through an API, or unknown.',
  }),
  version: Version,
};

export const WebhookData = Type.Object({ ...WebhookRecord.properties, ...CONSOLE_FIELDS });
export const WebhookWithSecretData = Type.Object({ ...WebhookWithSecret.properties, ...CONSOLE_FIELDS });

const AccountEvents = webhookEvents(ACCOUNT_EVENT_TYPES, ['message.status', 'account.balance_low']);

export const CHANNEL_WEBHOOK = { body: WebhookBody, changes: WebhookChanges };

export const ACCOUNT_WEBHOOK = {
  body: Type.Object({ ...Type.Pick(WebhookBody, ['url', 'format', 'authToken']).properties, events: AccountEvents }),
  changes: Type.Object({
    ...Type.Omit(WebhookChanges, ['verifyToken']).properties,
    events: Type.Optional(AccountEvents),
  }),
};

export const DeliveryData = Type.Object({
  ...Delivery.properties,
  messageId: Type.Union([Id, Type.Null()], {
    description: 'The message of the event; null for other events.',
  }),
  tries: Type.Array(
    Type.Object({
      at: Timestamp,
      statusCode: Type.Union([Type.Integer(), Type.Null()], { description: 'Null if there was no response.' }),
      error: Type.Union([Type.String(), Type.Null()], { description: 'Null if it was delivered.' }),
      answer: Type.Union([Type.String(), Type.Null()], {
        description: 'The start of the response body, if it is uncompressed text.',
      }),
    }),
    { description: 'The last 20 attempts, oldest first.' },
  ),
});

export type WebhookView = Static<typeof WebhookData>;
export type WebhookWithSecretView = Static<typeof WebhookWithSecretData>;
export type DeliveryView = Static<typeof DeliveryData>;
