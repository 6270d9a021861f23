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

export const GrantData = Type.Object({
  role: Role,
  accountId: Type.Union([Id, Type.Null()], {
    description: 'Null: the whole installation, including every account.',
  }),
});

const Code = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'A code of the second factor, or a recovery code; required after `codeNeeded`.',
    [RULE]: 'must be a text of at most 64 characters',
  }),
);

export const SignInBody = Type.Object({ name: Text(100, 'ada'), password: Text(256), code: Code });
export const SignInLinkBody = Type.Object({
  token: Text(100),
  code: Code,
  instead: Type.Optional(
    Type.Boolean({ description: "Whether to replace another operator's session in this browser." }),
  ),
});

export const SignInData = Type.Object({
  state: Type.Unsafe<'signedIn' | 'codeNeeded' | 'otherSignedIn'>({
    type: 'string',
    enum: ['signedIn', 'codeNeeded', 'otherSignedIn'],
    description:
      "`codeNeeded`: repeat the request with the same fields and `code`. `otherSignedIn`: the browser has another operator's session; repeat the request with `instead`. In both cases nobody was signed in, and the link stays valid.",
  }),
  others: Type.Optional(
    Type.Object(
      { current: Type.String(), ofLink: Type.String() },
      {
        description:
          'For `otherSignedIn`: the names of the signed-in operator and of the operator whom the link signs in.',
      },
    ),
  ),
});

export const SessionData = Type.Object({
  id: Id,
  way: Type.Union([Type.Literal('password'), Type.Literal('link'), Type.Literal('oidc'), Type.Null()], {
    description: 'How the operator signed in; null for sessions from before this was recorded.',
  }),
  createdAt: Timestamp,
  expiresAt: Type.String({ ...Timestamp, description: 'When the session ends at the latest.' }),
  operator: Type.Object({
    id: Id,
    name: Type.String({ examples: ['ada'] }),
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean(),
    hasOidc: Type.Boolean({ description: 'Whether they are linked to OpenID Connect.' }),
    recoveryCodesLeft: Type.Integer(),
    confirmBy: Type.Union([Type.Literal('password'), Type.Literal('code'), Type.Null()], {
      description: 'What `/admin/v1/session/confirm` requires; null: the operator must sign in again.',
    }),
  }),
  grants: Type.Array(GrantData),
  accounts: Type.Array(Type.Object({ id: Id, name: Type.String(), role: Role }), {
    description: 'Accounts that the operator may see, newest first, with the role for each; at most 200.',
  }),
  moreAccounts: Type.Boolean({ description: 'There are more; `/admin/v1/accounts` lists all.' }),
});
