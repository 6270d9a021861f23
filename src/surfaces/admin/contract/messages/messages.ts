import { pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { MESSAGE_FILTERS, MessageData, MessageEntry, MessagePath, SEARCHED } from './messages-schemas.js';

export const MESSAGES = {
  'GET /accounts/:accountId/messages': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListMessages',
    summary: 'Find messages, newest first',
    description:
      'SMS and WhatsApp messages of both surfaces. Each request does a limited amount of work: a page may ' +
      'have fewer than `limit` entries, even none, while `next` is not null.',
    params: AccountPath,
    query: pageQuery(MESSAGE_FILTERS),
    entry: MessageEntry,
    more: SEARCHED,
  },
  'GET /accounts/:accountId/messages/:messageId': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetMessage',
    summary: 'Show a message with its history',
    params: MessagePath,
    data: MessageData,
  },
  'POST /accounts/:accountId/messages/:messageId/cancel': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleCancelMessage',
    summary: 'Cancel a queued message and refund it',
    description:
      'For messages of Surface A that no carrier can have accepted: see `mayBeCanceled`. Otherwise the response is 409.',
    params: MessagePath,
    data: MessageData,
    errors: [409],
  },
} satisfies Contract;
