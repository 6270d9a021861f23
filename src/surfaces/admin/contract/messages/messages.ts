import { pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import {
  MESSAGE_FILTERS,
  MessageData,
  MessageEntry,
  MessagePath,
  SEARCHED,
} from './messages-schemas.js';
import type { Contract } from '../contract.js';

export const MESSAGES = {
  'GET /accounts/:accountId/messages': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListMessages',
    summary: 'Find messages, the newest first',
    description:
      'Of both surfaces, SMS and WhatsApp. A page is read in a bounded time however many messages there are: it may ' +
      'hold fewer than `limit`, even none, while `next` still leads on.',
    params: AccountPath,
    query: pageQuery(MESSAGE_FILTERS),
    entry: MessageEntry,
    more: SEARCHED,
  },
  'GET /accounts/:accountId/messages/:messageId': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetMessage',
    summary: 'Show a message with its history',
    params: MessagePath,
    data: MessageData,
  },
  'POST /accounts/:accountId/messages/:messageId/cancel': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleCancelMessage',
    summary: 'Cancel a message that waits to be sent, and refund it',
    description: 'Of Surface A, while no carrier can have it: see `mayBeCanceled`. Otherwise it is 409.',
    params: MessagePath,
    data: MessageData,
    errors: [409],
  },
} satisfies Contract;
