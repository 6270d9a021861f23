import { CanceledWaiting } from './settings-schemas.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';

export const WAITING = {
  'POST /accounts/:accountId/cancel-waiting': {
    needs: 'owner',
    of: 'account',
    operationId: 'consoleCancelWaiting',
    summary: 'Cancel and refund all that the account has waiting and scheduled',
    description:
      'Campaigns that have not ended, and messages of every surface that no carrier can have, some thousands at a ' +
      'time: ask again while `hasMore`. What comes meanwhile is taken too; switch the account off before, if need be.',
    params: AccountPath,
    data: CanceledWaiting,
  },
} satisfies Contract;
