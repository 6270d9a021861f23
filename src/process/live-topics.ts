/* When an event arrives, the console reloads the queries whose keys start with these topics. */

export const MESSAGE_TOPICS: readonly string[] = [
  'messages',
  'overview',
  'campaigns',
  'conversations',
  'balance',
  'account',
  'webhooks',
];

export const INBOUND_TOPICS: readonly string[] = [
  'conversations',
  'contacts',
  'inbound',
  'overview',
  'automations',
  'opt-outs',
];

export const CORRECTION_TOPICS: readonly string[] = [...INBOUND_TOPICS, 'messages'];

export const DELIVERY_TOPICS: readonly string[] = ['webhooks'];

export const TEMPLATE_TOPICS: readonly string[] = ['templates'];

export const CARRIER_TOPICS: readonly string[] = ['carriers', 'channels', 'account'];
