import type { MessageStatus } from '../../../src/messages/message-status.js';

/** In the order of a message's way. All of the server's must be here: the type checker finds one that is not. */
const STATUSES: Readonly<Record<MessageStatus, true>> = {
  queued: true,
  sending: true,
  sent: true,
  delivered: true,
  read: true,
  undelivered: true,
  failed: true,
  rejected: true,
  expired: true,
  canceled: true,
};

/** What a list of messages can be narrowed to. */
export const MESSAGE_STATUSES = Object.keys(STATUSES) as readonly MessageStatus[];
