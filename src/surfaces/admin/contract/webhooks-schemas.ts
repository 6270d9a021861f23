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

const MORE = {
  madeBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The operator who made it, who may be gone; null: an API made it, or nobody noted it.',
  }),
  version: Version,
};

export const WebhookData = Type.Object({ ...WebhookRecord.properties, ...MORE });
export const WebhookWithSecretData = Type.Object({ ...WebhookWithSecret.properties, ...MORE });

const AccountEvents = webhookEvents(ACCOUNT_EVENT_TYPES, ['message.status', 'account.balance_low']);

/** What a webhook of a channel is made of, and what of it may change. */
export const OF_CHANNEL = { body: WebhookBody, changes: WebhookChanges };

/** The same of a webhook of the whole account. */
export const OF_ACCOUNT = {
  body: Type.Object({ ...Type.Pick(WebhookBody, ['url', 'format', 'authToken']).properties, events: AccountEvents }),
  changes: Type.Object({
    ...Type.Omit(WebhookChanges, ['verifyToken']).properties,
    events: Type.Optional(AccountEvents),
  }),
};

/** A delivery as Surface B shows it, with its tries and the message that it tells of. */
export const DeliveryData = Type.Object({
  ...Delivery.properties,
  messageId: Type.Union([Id, Type.Null()], {
    description: 'The message that it tells of; null where it is another event.',
  }),
  tries: Type.Array(
    Type.Object({
      at: Timestamp,
      statusCode: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: no answer came.' }),
      error: Type.Union([Type.String(), Type.Null()], { description: 'Null: it arrived.' }),
      answer: Type.Union([Type.String(), Type.Null()], {
        description: 'The beginning of the body of the answer, where it is text that is not compressed.',
      }),
    }),
    { description: 'The oldest first; of many the last 20.' },
  ),
});

export type WebhookView = Static<typeof WebhookData>;
export type WebhookWithSecretView = Static<typeof WebhookWithSecretData>;
export type DeliveryView = Static<typeof DeliveryData>;
