import { Type } from '@sinclair/typebox';
import { CONFIRMED_FOR_MS, type ConfirmOptions, confirmSession } from '../../../../accounts/operators/confirmation.js';
import type { FailedSignIns } from '../../../../accounts/operators/failed-sign-ins.js';
import { HeldOperator } from '../../../../accounts/operators/held.js';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { byOf } from './operators.js';

export type OwnConfirmOptions = ConfirmOptions & { failedSignIns: Pick<FailedSignIns, 'telling'> };

const Proof = (limit: number, description: string) =>
  Type.Optional(
    Type.String({ maxLength: limit, description, [RULE]: `must be a text of at most ${limit} characters` }),
  );

const ConfirmBody = Type.Object({
  password: Proof(256, 'Of the operator, where they have one.'),
  code: Proof(64, 'Of the second factor, or a recovery code; of who has no password.'),
});

const ConfirmedData = Type.Object({
  confirmedUntil: Type.String({ ...Timestamp, description: 'Until when nothing more is asked.' }),
});

/** Proving again who one is, which what changes who can sign in asks for. */
export const confirmEndpoints: Endpoints<OwnConfirmOptions> = async (app, options) => {
  const { clock, failedSignIns } = options;

  app.post(
    '/session/confirm',
    endpoint({
      needs: 'session',
      of: 'self',
      operationId: 'consoleConfirm',
      summary: 'Confirm that the operator is still the one who signed in',
      description:
        'By the password or, without one, a code of the second factor. It counts for ten minutes, as signing in does: so long the session may change who can sign in.',
      body: ConfirmBody,
      data: ConfirmedData,
      errors: [429],
    }),
    async (request) => {
      const { operator, session, ip: address } = request;
      const { password, code } = request.body;
      const input = { operatorId: operator.id, sessionId: session.id, address, password, code };
      await failedSignIns.telling({ way: 'confirmation', address, operatorId: operator.id }, () =>
        confirmSession(options, input, (work) =>
          request.change(async ({ prisma }) => {
            await work(await HeldOperator.acting(prisma, byOf(request)));
            return { result: undefined, told: { action: 'session.confirm', subject: session.id } };
          }),
        ),
      );
      return ok({ confirmedUntil: new Date(clock.now().getTime() + CONFIRMED_FOR_MS).toISOString() });
    },
  );
};
