import type { MessageStatus } from '../../../src/messages/message-status.js';

/**
 * Statuses in the order in which a message passes through them. The type makes the build fail if a status of the server is
 * missing.
 */
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
