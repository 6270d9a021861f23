import { type Static, Type } from '@sinclair/typebox';
import { ACCOUNT_WEBHOOK_EVENTS } from '../../../features/webhooks/outbox.js';
import {
  Delivery,
  WebhookBody,
  WebhookChanges,
  WebhookRecord,
  WebhookWithSecret,
} from '../../b/endpoints/webhook-schemas.js';
import { webhookEvents } from '../../http/schemas/webhooks.js';

export { Delivery as DeliveryData, WebhookRecord as WebhookData, WebhookWithSecret as WebhookWithSecretData };

const AccountEvents = webhookEvents(ACCOUNT_WEBHOOK_EVENTS, ['message.status', 'account.balance_low']);

/** What a webhook of a channel is made of, and what of it may change. */
export const OF_CHANNEL = { body: WebhookBody, changes: WebhookChanges };

/** The same of a webhook of the whole account. */
export const OF_ACCOUNT = {
  body: Type.Object({ ...WebhookBody.properties, events: AccountEvents }),
  changes: Type.Object({ ...WebhookChanges.properties, events: Type.Optional(AccountEvents) }),
};

export type WebhookView = Static<typeof WebhookRecord>;
export type WebhookWithSecretView = Static<typeof WebhookWithSecret>;
export type DeliveryView = Static<typeof Delivery>;
