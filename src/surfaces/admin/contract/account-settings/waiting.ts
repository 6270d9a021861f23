import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { CanceledWaiting } from './settings-schemas.js';

export const WAITING = {
  'POST /accounts/:accountId/cancel-waiting': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleCancelWaiting',
    summary: 'Cancel and refund all queued and scheduled messages of an account',
    description:
      'Cancels unfinished campaigns, and messages of every surface that no carrier has accepted, a few thousand per ' +
      'request: repeat it while `hasMore` is true. To keep new messages from being accepted in the meantime, disable the account first.',
    params: AccountPath,
    data: CanceledWaiting,
  },
} satisfies Contract;
