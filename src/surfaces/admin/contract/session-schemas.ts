import { Type } from '@sinclair/typebox';
import { ROLES } from '../../../accounts/operators/roles/roles.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const Text = (limit: number, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength: limit,
    ...(example && { examples: [example] }),
    [RULE]: `must be a text of 1 to ${limit} characters`,
  });

export const Role = Type.Unsafe<(typeof ROLES)[number]>({
  type: 'string',
  enum: [...ROLES],
  examples: ['developer'],
  [RULE]: `must be one of ${ROLES.join(', ')}`,
});

/** What an operator may do, and where. */
export const GrantData = Type.Object({
  role: Role,
  accountId: Type.Union([Id, Type.Null()], {
    description: 'Null: the whole installation, every account in it included.',
  }),
});

const Code = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'Of the second factor, or a recovery code; needed where the answer was `codeNeeded`.',
    [RULE]: 'must be a text of at most 64 characters',
  }),
);

export const SignInBody = Type.Object({ name: Text(100, 'ada'), password: Text(256), code: Code });
export const SignInLinkBody = Type.Object({
  token: Text(100),
  code: Code,
  instead: Type.Optional(
    Type.Boolean({ description: 'Whether it may take the place of the session of another operator in this browser.' }),
  ),
});

export const SignInData = Type.Object({
  state: Type.Unsafe<'signedIn' | 'codeNeeded' | 'otherSignedIn'>({
    type: 'string',
    enum: ['signedIn', 'codeNeeded', 'otherSignedIn'],
    description:
      '`codeNeeded`: ask again with the same fields and `code`. `otherSignedIn`: the browser has the session of another operator; ask again with `instead`. Nobody is signed in by it yet, and the link is still good.',
  }),
  others: Type.Optional(
    Type.Object(
      { current: Type.String(), ofLink: Type.String() },
      { description: 'With `otherSignedIn`: the name of who is signed in, and of whom the link signs in.' },
    ),
  ),
});

export const SessionData = Type.Object({
  id: Id,
  way: Type.Union([Type.Literal('password'), Type.Literal('link'), Type.Literal('oidc'), Type.Null()], {
    description: 'By which way it was begun; null: before that was noted.',
  }),
  createdAt: Timestamp,
  expiresAt: Type.String({ ...Timestamp, description: 'When it ends however much it is used.' }),
  operator: Type.Object({
    id: Id,
    name: Type.String({ examples: ['ada'] }),
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean(),
    hasOidc: Type.Boolean({ description: 'Whether they sign in by OpenID Connect.' }),
    recoveryCodesLeft: Type.Integer(),
    confirmBy: Type.Union([Type.Literal('password'), Type.Literal('code'), Type.Null()], {
      description: 'What `/admin/v1/session/confirm` asks for; null: only signing in anew confirms who they are.',
    }),
  }),
  grants: Type.Array(GrantData),
  accounts: Type.Array(Type.Object({ id: Id, name: Type.String(), role: Role }), {
    description: 'The accounts that the operator may see, the newest first, and the role for each; at most 200.',
  }),
  moreAccounts: Type.Boolean({ description: 'There are more; `/admin/v1/accounts` tells all.' }),
});
