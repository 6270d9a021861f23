import { Type } from '@sinclair/typebox';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import type { Contract } from '../contract.js';

const Proof = (limit: number, description: string) =>
  Type.Optional(
    Type.String({ maxLength: limit, description, [RULE]: `must be a text of at most ${limit} characters` }),
  );
const ConfirmedData = Type.Object({
  confirmedUntil: Type.String({ ...Timestamp, description: 'Until when nothing more is asked.' }),
});
const ConfirmBody = Type.Object({
  password: Proof(256, 'Of the operator, where they have one.'),
  code: Proof(64, 'Of the second factor, or a recovery code; of who has no password.'),
});

export const CONFIRM = {
  'POST /session/confirm': {
    needs: 'session',
    of: 'self',
    operationId: 'consoleConfirm',
    summary: 'Confirm that the operator is still the one who signed in',
    description:
      'By the password or, without one, a code of the second factor. It counts for ten minutes, as signing in does: so long the session may change who can sign in.',
    body: ConfirmBody,
    data: ConfirmedData,
    errors: [429],
  },
} satisfies Contract;
