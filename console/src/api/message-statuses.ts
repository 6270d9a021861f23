import type { MessageStatus } from '../../../src/messages/message-status.js';

/** In the order in which a message passes through them. The type requires every status of the server. */
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

export const MESSAGE_STATUSES = Object.keys(STATUSES) as readonly MessageStatus[];
