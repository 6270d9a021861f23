import type { FastifyRequest } from 'fastify';
import type { ChangeResult } from '../../../../accounts/audit/change.js';
import { LockedOperator } from '../../../../accounts/operators/locked-operator.js';
import type { Sessions } from '../../../../accounts/operators/sessions/sessions.js';
import { type AttemptOptions, limitAttempts } from '../../../../accounts/operators/sign-in/attempts.js';
import { requireConfirmed } from '../../../../accounts/operators/sign-in/confirmation.js';
import { checkOwnPassword, setOwnPassword } from '../../../../accounts/operators/sign-in/own-password.js';
import {
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '../../../../accounts/operators/sign-in/second-factor.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { isUuid } from '../../../../platform/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { done, ok } from '../../answers.js';
import { ME } from '../../contract/operators/me.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { toSessionRef } from './operators.js';

export type MeOptions = UseCaseOptions<typeof checkOwnPassword> &
  AttemptOptions & { sessions: Pick<Sessions, 'list' | 'end'> };

export const meEndpoints: Endpoints<MeOptions> = async (app, options) => {
  const route = registerRoutes(app, ME);
  const { clock, sessions } = options;

  route('GET /session/all', async ({ operator, session }) => {
    const list = await sessions.list(operator.id);
    return ok(
      list.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent, way }) => ({
        id,
        isThis: id === session.id,
        createdAt: createdAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        address,
        userAgent,
        way,
      })),
    );
  });

  route('DELETE /session/all', async (request) => {
    const endedCount = await changeSelf(request, async (locked) => {
      const count = await locked.endSessions(request.session.id);
      const auditEntry = { action: 'session.revoke', subject: locked.row.id, after: { ended: count } };
      return { result: count, audit: count === 0 ? null : auditEntry };
    });
    return ok({ ended: endedCount });
  });

  route('DELETE /session/all/:sessionId', async (request) => {
    const { sessionId } = request.params;
    await changeSelf(request, async ({ prisma, row }) => {
      if (!isUuid(sessionId) || !(await sessions.end(prisma, row.id, sessionId))) {
        throw notFound('session');
      }
      return { result: null, audit: { action: 'session.revoke', subject: sessionId } };
    });
    return done();
  });

  route('PUT /session/password', async (request) => {
    const { id: operatorId } = request.operator;
    const { current, password } = request.body;
    // An operator without a password must have confirmed their identity in another way.
    const requireRecentConfirmation = () => requireConfirmed(request.session, clock);
    const passwordProof = await checkOwnPassword(
      options,
      { operatorId, address: request.ip, current, password },
      requireRecentConfirmation,
    );
    await changeSelf(request, async (locked) => {
      await setOwnPassword(locked, passwordProof, request.session.id);
      return { result: null, audit: { action: 'operator.password', subject: operatorId } };
    });
    return done();
  });

  route('POST /session/second-factor', async (request) => {
    const setup = await changeSelf(request, async (locked) => {
      const result = await startSecondFactor(locked);
      return { result, audit: { action: 'second-factor.begin', subject: locked.row.id } };
    });
    return ok(setup);
  });

  /** Wrong codes count as failed sign-ins. */
  const withCode = <T>(
    request: FastifyRequest,
    code: string,
    action: string,
    work: (lockedOperator: LockedOperator, proof: { code: string; at: Date }) => Promise<T>,
  ): Promise<T> =>
    limitAttempts(options, { name: request.operator.name, address: request.ip }, () =>
      changeSelf(request, async (locked) => {
        const result = await work(locked, { code, at: clock.now() });
        return { result, audit: { action, subject: locked.row.id } };
      }),
    );

  route('POST /session/second-factor/confirm', async (request) => {
    const { code } = request.body;
    const recoveryCodes = await withCode(request, code, 'second-factor.create', confirmSecondFactor);
    return ok({ recoveryCodes });
  });

  route('POST /session/second-factor/recovery-codes', async (request) => {
    const { code } = request.body;
    const recoveryCodes = await withCode(request, code, 'second-factor.update', renewRecoveryCodes);
    return ok({ recoveryCodes });
  });

  route('DELETE /session/second-factor', async (request) => {
    await withCode(request, request.body.code, 'second-factor.remove', removeSecondFactor);
    return done();
  });
};

/** Changes the operator only if the session is still valid inside the transaction. */
function changeSelf<T>(
  request: FastifyRequest,
  work: (lockedOperator: LockedOperator) => Promise<ChangeResult<T>>,
): Promise<T> {
  return request.change(async ({ prisma }) => work(await LockedOperator.lockSignedIn(prisma, toSessionRef(request))));
}
