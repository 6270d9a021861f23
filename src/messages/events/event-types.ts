/** Events that a webhook of a channel can subscribe to. */
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

/** Events that a webhook of an account can subscribe to. */
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

/** Sent when an operator or API client tests a webhook. Webhooks cannot subscribe to it. */
export const TEST_EVENT = 'webhook.test';
