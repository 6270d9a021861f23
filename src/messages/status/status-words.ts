import type { MessageStatus } from '../message-status.js';

const PHRASES: Readonly<Record<MessageStatus, string>> = {
  queued: 'is waiting to be sent',
  sending: 'is being sent',
  sent: 'was accepted by the carrier',
  delivered: 'was delivered',
  read: 'was read',
  undelivered: 'could not be delivered',
  failed: 'has failed',
  rejected: 'was rejected',
  expired: 'expired before it was delivered',
  canceled: 'was canceled',
};

export function describeStatus(status: string): string {
  return `The message ${getPhrase(status)}.`;
}

export function describeUncancelable(status: string): string {
  return `The message ${getPhrase(status)}; only a message that is waiting to be sent can be canceled.`;
}

function getPhrase(status: string): string {
  return PHRASES[status as MessageStatus];
}
