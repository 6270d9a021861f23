import { LockedOperator } from '../../../../accounts/operators/locked-operator.js';
import {
  CONFIRMATION_LIFETIME_MS,
  type ConfirmOptions,
  confirmSession,
} from '../../../../accounts/operators/sign-in/confirmation.js';
import type { FailedSignIns } from '../../../../accounts/operators/sign-in/failed-sign-ins.js';
import { ok } from '../../answers.js';
import { CONFIRM } from '../../contract/operators/confirm.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { toSessionRef } from './operators.js';

export type OwnConfirmOptions = ConfirmOptions & { failedSignIns: Pick<FailedSignIns, 'reportFailures'> };

export const confirmEndpoints: Endpoints<OwnConfirmOptions> = async (app, options) => {
  const route = registerRoutes(app, CONFIRM);
  const { clock, failedSignIns } = options;

  route('POST /session/confirm', async (request) => {
    const { operator, session, ip: address } = request;
    const { password, code } = request.body;
    const input = { operatorId: operator.id, sessionId: session.id, address, password, code };
    await failedSignIns.reportFailures({ way: 'confirmation', address, operatorId: operator.id }, () =>
      confirmSession(options, input, (work) =>
        request.change(async ({ prisma }) => {
          await work(await LockedOperator.lockSignedIn(prisma, toSessionRef(request)));
          return { result: undefined, audit: { action: 'session.confirm', subject: session.id } };
        }),
      ),
    );
    return ok({ confirmedUntil: new Date(clock.now().getTime() + CONFIRMATION_LIFETIME_MS).toISOString() });
  });
};
