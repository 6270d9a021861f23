/** Statuses in the order in which a message reaches them; all statuses after `read` are final. */
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
