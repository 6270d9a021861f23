import { cancelWaitingStep } from '../../../../features/cancel-waiting/cancel.js';
import type { Clock } from '../../../../platform/clock.js';
import { ok } from '../../answers.js';
import { WAITING } from '../../contract/account-settings/waiting.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';

export interface WaitingOptions {
  clock: Clock;
}

/** What an account has waiting, as its owners take it back. */
export const waitingEndpoints: Endpoints<WaitingOptions> = async (app, { clock }) => {
  const route = routesOf(app, WAITING);
  route('POST /accounts/:accountId/cancel-waiting', async (request) => {
    const { id } = accountOf(request);
    const canceled = await request.change((change) => cancelWaitingStep(change, id, clock.now()));
    return ok(canceled);
  });
};
