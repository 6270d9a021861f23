import { pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import { INBOUND_FILTERS, InboundData } from './inbound-schemas.js';
import { SEARCHED } from './messages-schemas.js';
import type { Contract } from '../contract.js';

export const INBOUND = {
  'GET /accounts/:accountId/inbound': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListInbound',
    summary: 'Find messages that were received, the newest first',
    description:
      'SMS and WhatsApp. A page is read in a bounded time however many messages there are: it may hold fewer than ' +
      '`limit`, even none, while `next` still leads on.',
    params: AccountPath,
    query: pageQuery(INBOUND_FILTERS),
    entry: InboundData,
    more: SEARCHED,
  },
} satisfies Contract;
