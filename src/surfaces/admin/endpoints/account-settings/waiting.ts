import { cancelWaitingStep } from '../../../../features/waiting/cancel.js';
import type { Clock } from '../../../../platform/clock.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import { CanceledWaiting } from './settings-schemas.js';

export interface WaitingOptions {
  clock: Clock;
}

/** What an account has waiting, as its owners take it back. */
export const waitingEndpoints: Endpoints<WaitingOptions> = async (app, { clock }) => {
  app.post(
    '/accounts/:accountId/cancel-waiting',
    endpoint({
      needs: 'owner',
      of: 'account',
      operationId: 'consoleCancelWaiting',
      summary: 'Cancel and refund all that the account has waiting and scheduled',
      description:
        'Campaigns that have not ended, and messages of every surface that no carrier can have, some thousands at a ' +
        'time: ask again while `hasMore`. What comes meanwhile is taken too; switch the account off before, if need be.',
      params: AccountPath,
      data: CanceledWaiting,
    }),
    async (request) => {
      const { id } = accountOf(request);
      const canceled = await request.change((change) => cancelWaitingStep(change, id, clock.now()));
      return ok(canceled);
    },
  );
};
