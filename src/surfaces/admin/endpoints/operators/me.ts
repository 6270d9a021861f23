import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Changed } from '../../../../accounts/audit/change.js';
import { type AttemptOptions, limited } from '../../../../accounts/operators/attempts.js';
import { requireConfirmed } from '../../../../accounts/operators/confirmation.js';
import { HeldOperator } from '../../../../accounts/operators/held.js';
import { proveOwnPassword, setOwnPassword } from '../../../../accounts/operators/own-password.js';
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  renewRecoveryCodes,
} from '../../../../accounts/operators/second-factor.js';
import type { Sessions } from '../../../../accounts/operators/sessions.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import { isUuid } from '../../../../platform/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { DoneData, done, ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import {
  CodeBody,
  EndedData,
  OwnSession,
  PasswordBody,
  RecoveryCodes,
  SecondFactorData,
  SessionPath,
} from './me-schemas.js';
import { byOf } from './operators.js';

export type MeOptions = OptionsOf<typeof proveOwnPassword> &
  AttemptOptions & { sessions: Pick<Sessions, 'list' | 'endOf'> };

const own = { needs: 'session', of: 'self' } as const;

/** What operators do about themselves: their sessions, their password, their second factor. */
export const meEndpoints: Endpoints<MeOptions> = async (app, options) => {
  const { clock, sessions } = options;

  app.get(
    '/session/all',
    endpoint({
      ...own,
      operationId: 'consoleListOwnSessions',
      summary: 'List the sessions of the operator, the one used last first',
      data: Type.Array(OwnSession),
    }),
    async ({ operator, session }) => {
      const found = await sessions.list(operator.id);
      return ok(
        found.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent, way }) => ({
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
    },
  );

  app.delete(
    '/session/all',
    endpoint({
      ...own,
      operationId: 'consoleEndOtherSessions',
      summary: 'Sign out everywhere but here',
      data: EndedData,
    }),
    async (request) => {
      const ended = await ownChange(request, async (held) => {
        const count = await held.endSessions(request.session.id);
        const told = { action: 'session.revoke', subject: held.row.id, after: { ended: count } };
        return { result: count, told: count === 0 ? null : told };
      });
      return ok({ ended });
    },
  );

  app.delete(
    '/session/all/:sessionId',
    endpoint({
      ...own,
      operationId: 'consoleEndOwnSession',
      summary: 'End a session of the operator',
      params: SessionPath,
      data: DoneData,
    }),
    async (request) => {
      const { sessionId } = request.params;
      await ownChange(request, async ({ prisma, row }) => {
        if (!isUuid(sessionId) || !(await sessions.endOf(prisma, row.id, sessionId))) {
          throw new AppError('NOT_FOUND', 'There is no session with this id.');
        }
        return { result: null, told: { action: 'session.revoke', subject: sessionId } };
      });
      return done();
    },
  );

  app.put(
    '/session/password',
    endpoint({
      ...own,
      operationId: 'consoleChangeOwnPassword',
      summary: 'Change the password of the operator',
      description:
        'It ends the other sessions of the operator, and links that were not used. Who has no password yet must have signed in, or confirmed who they are, in the last ten minutes.',
      body: PasswordBody,
      data: DoneData,
      errors: [429],
    }),
    async (request) => {
      const { id: operatorId } = request.operator;
      const { current, password } = request.body;
      const proved = await proveOwnPassword(options, { operatorId, address: request.ip, current, password });
      // Who had none was asked for none, and proves who they are in another way.
      if (proved.before === null) requireConfirmed(request.session, clock);
      await ownChange(request, async (held) => {
        await setOwnPassword(held, proved, request.session.id);
        return { result: null, told: { action: 'operator.password', subject: operatorId } };
      });
      return done();
    },
  );

  app.post(
    '/session/second-factor',
    endpoint({
      ...own,
      confirmed: true,
      operationId: 'consoleBeginSecondFactor',
      summary: 'Begin a second factor',
      description: 'It counts once a code of it was given to `/admin/v1/session/second-factor/confirm`.',
      data: SecondFactorData,
      errors: [409],
    }),
    async (request) => {
      const begun = await ownChange(request, async (held) => {
        const result = await beginSecondFactor(held);
        return { result, told: { action: 'second-factor.begin', subject: held.row.id } };
      });
      return ok(begun);
    },
  );

  /** Changes something by a code; wrong ones count as failed sign-ins do. */
  const withCode = <T>(
    request: FastifyRequest,
    code: string,
    action: string,
    work: (held: HeldOperator, proof: { code: string; at: Date }) => Promise<T>,
  ): Promise<T> =>
    limited(options, { name: request.operator.name, address: request.ip }, () =>
      ownChange(request, async (held) => {
        const result = await work(held, { code, at: clock.now() });
        return { result, told: { action, subject: held.row.id } };
      }),
    );

  app.post(
    '/session/second-factor/confirm',
    endpoint({
      ...own,
      operationId: 'consoleConfirmSecondFactor',
      summary: 'Have the second factor count, by a code of it',
      body: CodeBody,
      data: RecoveryCodes,
      errors: [409, 429],
    }),
    async (request) => {
      const { code } = request.body;
      const recoveryCodes = await withCode(request, code, 'second-factor.create', confirmSecondFactor);
      return ok({ recoveryCodes });
    },
  );

  app.post(
    '/session/second-factor/recovery-codes',
    endpoint({
      ...own,
      operationId: 'consoleRenewRecoveryCodes',
      summary: 'Make new recovery codes; those before are good no more',
      body: CodeBody,
      data: RecoveryCodes,
      errors: [409, 429],
    }),
    async (request) => {
      const { code } = request.body;
      const recoveryCodes = await withCode(request, code, 'second-factor.update', renewRecoveryCodes);
      return ok({ recoveryCodes });
    },
  );

  app.delete(
    '/session/second-factor',
    endpoint({
      ...own,
      operationId: 'consoleEndSecondFactor',
      summary: 'Take the second factor away, by a code of it',
      body: CodeBody,
      data: DoneData,
      errors: [409, 429],
    }),
    async (request) => {
      await withCode(request, request.body.code, 'second-factor.remove', endSecondFactor);
      return done();
    },
  );
};

/** A change that operators make of themselves, in a session that has not ended when it is made. */
function ownChange<T>(request: FastifyRequest, work: (held: HeldOperator) => Promise<Changed<T>>): Promise<T> {
  return request.change(async ({ prisma }) => work(await HeldOperator.acting(prisma, byOf(request))));
}
