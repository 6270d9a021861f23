import { Type } from '@sinclair/typebox';
import { type AttemptOptions, limited } from '../../../../accounts/operators/attempts.js';
import { changeOwnPassword } from '../../../../accounts/operators/own-password.js';
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

export type MeOptions = OptionsOf<typeof changeOwnPassword> &
  AttemptOptions & {
    prisma: Parameters<typeof beginSecondFactor>[0];
    sessions: Pick<Sessions, 'list' | 'endOf' | 'endOthers'>;
  };

const own = { needs: 'session', of: 'self' } as const;

/** What operators do about themselves: their sessions, their password, their second factor. */
export const meEndpoints: Endpoints<MeOptions> = async (app, options) => {
  const { prisma, clock, sessions } = options;

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
      const ended = await sessions.endOthers(request.operator.id, request.session.id);
      await request.audit({ action: 'session.revoke', subject: request.operator.id, after: { ended } });
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
      if (!isUuid(sessionId) || !(await sessions.endOf(request.operator.id, sessionId))) {
        throw new AppError('NOT_FOUND', 'There is no session with this id.');
      }
      await request.audit({ action: 'session.revoke', subject: sessionId });
      return done();
    },
  );

  app.put(
    '/session/password',
    endpoint({
      ...own,
      operationId: 'consoleChangeOwnPassword',
      summary: 'Change the password of the operator',
      description: 'It ends the other sessions of the operator.',
      body: PasswordBody,
      data: DoneData,
      errors: [429],
    }),
    async (request) => {
      const { id: operatorId } = request.operator;
      await changeOwnPassword(options, { operatorId, address: request.ip, ...request.body });
      await sessions.endOthers(operatorId, request.session.id);
      await request.audit({ action: 'operator.password', subject: operatorId });
      return done();
    },
  );

  app.post(
    '/session/second-factor',
    endpoint({
      ...own,
      operationId: 'consoleBeginSecondFactor',
      summary: 'Begin a second factor',
      description: 'It counts once a code of it was given to `/admin/v1/session/second-factor/confirm`.',
      data: SecondFactorData,
      errors: [409],
    }),
    async (request) => {
      const begun = await beginSecondFactor(prisma, request.operator.id);
      await request.audit({ action: 'second-factor.begin', subject: request.operator.id });
      return ok(begun);
    },
  );

  /** Endpoints that take a code; wrong ones count as failed sign-ins do. */
  const withCode = <T>(
    request: { operator: { id: string; name: string }; ip: string; body: { code: string } },
    work: (proof: { operatorId: string; code: string; at: Date }) => Promise<T>,
  ): Promise<T> => {
    const { operator, ip, body } = request;
    const proof = { operatorId: operator.id, code: body.code, at: clock.now() };
    return limited(options, { name: operator.name, address: ip }, () => work(proof));
  };

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
      const recoveryCodes = await withCode(request, (proof) => confirmSecondFactor(prisma, proof));
      await request.audit({ action: 'second-factor.create', subject: request.operator.id });
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
      const recoveryCodes = await withCode(request, (proof) => renewRecoveryCodes(prisma, proof));
      await request.audit({ action: 'second-factor.update', subject: request.operator.id });
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
      await withCode(request, (proof) => endSecondFactor(prisma, proof));
      await request.audit({ action: 'second-factor.remove', subject: request.operator.id });
      return done();
    },
  );
};
