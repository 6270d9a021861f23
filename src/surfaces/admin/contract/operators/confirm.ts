import { Type } from '@sinclair/typebox';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import type { Contract } from '../contract.js';

const Proof = (limit: number, description: string) =>
  Type.Optional(
    Type.String({ maxLength: limit, description, [RULE]: `must be a text of at most ${limit} characters` }),
  );
const ConfirmedData = Type.Object({
  confirmedUntil: Type.String({ ...Timestamp, description: 'No further confirmation is needed before this time.' }),
});
const ConfirmBody = Type.Object({
  password: Proof(256, 'Password of the operator, if they have one.'),
  code: Proof(64, 'A code of the second factor or a recovery code, for an operator without a password.'),
});

export const CONFIRM = {
  'POST /session/confirm': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleConfirm',
    summary: 'Confirm the identity of the operator',
    description:
      'By password or, without one, by a code of the second factor. For ten minutes afterwards, as after signing in, the operator may make changes that require a recent confirmation.',
    body: ConfirmBody,
    data: ConfirmedData,
    errors: [429],
  },
} satisfies Contract;
