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
];

/** A contact wrote. */
export const OF_INBOUND: readonly string[] = ['conversations', 'contacts', 'overview', 'automations', 'opt-outs'];
