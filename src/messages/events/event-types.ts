/** The events that a webhook of a channel may ask for. */
export const WEBHOOK_EVENTS = [
  'message.received',
  'message.status',
  'message.edited',
  'message.revoked',
  'contact.updated',
  'contact.deleted',
  'contact.merged',
  'automation.completed',
] as const;

/** The events that a webhook of the whole account may ask for. */
export const ACCOUNT_WEBHOOK_EVENTS = [
  'message.received',
  'message.status',
  'message.edited',
  'message.revoked',
  'account.balance_low',
  'account.sending_held',
] as const;

export type ChannelEventType = (typeof WEBHOOK_EVENTS)[number];
export type AccountEventType = (typeof ACCOUNT_WEBHOOK_EVENTS)[number];
export type WebhookEventType = ChannelEventType | AccountEventType;

/** What an operator or an API client asks for to try a webhook. No webhook can ask for it. */
export const TEST_EVENT = 'webhook.test';
