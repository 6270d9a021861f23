import { pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { INBOUND_FILTERS, InboundData } from './inbound-schemas.js';
import { SEARCHED } from './messages-schemas.js';

export const INBOUND = {
  'GET /accounts/:accountId/inbound': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListInbound',
    summary: 'Find inbound messages, newest first',
    description:
      'SMS and WhatsApp. Each request does a limited amount of work: a page may have fewer than ' +
      '`limit` entries, even none, while `next` is not null.',
    params: AccountPath,
    query: pageQuery(INBOUND_FILTERS),
    entry: InboundData,
    more: SEARCHED,
  },
} satisfies Contract;
