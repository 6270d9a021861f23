import { cancelWaitingStep } from '../../../../features/cancel-waiting/cancel.js';
import type { Clock } from '../../../../platform/clock.js';
import { ok } from '../../answers.js';
import { WAITING } from '../../contract/account-settings/waiting.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export interface WaitingOptions {
  clock: Clock;
}

export const cancelWaitingEndpoints: Endpoints<WaitingOptions> = async (app, { clock }) => {
  const route = registerRoutes(app, WAITING);
  route('POST /accounts/:accountId/cancel-waiting', async (request) => {
    const { id } = requestAccount(request);
    const canceled = await request.change((change) => cancelWaitingStep(change, id, clock.now()));
    return ok(canceled);
  });
};
