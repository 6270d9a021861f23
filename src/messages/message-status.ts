/** In the order in which a message passes them; those after `read` are final. */
export const REACHED_STATUSES = [
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'rejected',
  'expired',
  'canceled',
] as const;

export const MESSAGE_STATUSES = ['queued', 'sending', ...REACHED_STATUSES] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
