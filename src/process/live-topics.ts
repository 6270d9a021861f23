/*
 * What pages of the console ask for anew, by the beginning of the keys of their queries, when something has happened.
 */

/** A message was accepted, or its status moved. */
export const OF_MESSAGES: readonly string[] = [
  'messages',
  'overview',
  'campaigns',
  'conversations',
  'balance',
  'account',
  // Its webhooks are to be told of it.
  'webhooks',
];

/** A contact wrote. */
export const OF_INBOUND: readonly string[] = [
  'conversations',
  'contacts',
  'inbound',
  'overview',
  'automations',
  'opt-outs',
];

/** The text of a message of either direction was changed or taken back. */
export const OF_CORRECTIONS: readonly string[] = [...OF_INBOUND, 'messages'];

/** Deliveries of webhooks were tried, or a webhook was disabled because of it. */
export const OF_DELIVERIES: readonly string[] = ['webhooks'];

/** A carrier decided something of templates. */
export const OF_TEMPLATES: readonly string[] = ['templates'];

/** A carrier is up or down, one of its connections, or a channel at it. */
export const OF_CARRIERS: readonly string[] = ['carriers', 'channels', 'account'];
