/*
 * Which data the console reloads after an event: prefixes of its query keys.
 */

/** A message was accepted, or its status changed. */
export const MESSAGE_TOPICS: readonly string[] = [
  'messages',
  'overview',
  'campaigns',
  'conversations',
  'balance',
  'account',
  // The event adds a webhook delivery.
  'webhooks',
];

/** A contact sent a message. */
export const INBOUND_TOPICS: readonly string[] = [
  'conversations',
  'contacts',
  'inbound',
  'overview',
  'automations',
  'opt-outs',
];

/** A sent or received message was edited or revoked. */
export const CORRECTION_TOPICS: readonly string[] = [...INBOUND_TOPICS, 'messages'];

/** Webhook deliveries were attempted, or a webhook was disabled. */
export const DELIVERY_TOPICS: readonly string[] = ['webhooks'];

/** A carrier approved, rejected or changed a template. */
export const TEMPLATE_TOPICS: readonly string[] = ['templates'];

/** The state of a carrier, a connection or a channel changed. */
export const CARRIER_TOPICS: readonly string[] = ['carriers', 'channels', 'account'];
