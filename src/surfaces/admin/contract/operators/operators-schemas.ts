import { Type } from '@sinclair/typebox';
import { NAME_RULE } from '../../../../accounts/operators/operators.js';
import { PathId } from '../../../http/ids.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { Role } from '../session-schemas.js';
import { Version } from '../version-schemas.js';

const AccountId = Type.Union([Id, Type.Null()], {
  description: 'Null: the whole installation, including every account.',
});

export const OperatorData = Type.Object({
  id: Id,
  name: Type.String({ examples: ['ada'] }),
  isActive: Type.Boolean({ description: 'Whether the operator is enabled.' }),
  hasPassword: Type.Boolean(),
  hasSecondFactor: Type.Boolean(),
  createdAt: Timestamp,
  lastSignedInAt: NullableTimestamp,
  grants: Type.Array(Type.Object({ role: Role, accountId: AccountId, accountName: NullableText })),
  version: Type.String({ ...Version, description: 'Version of the roles: send it as `If-Match` when changing them.' }),
});

export const MemberData = Type.Object({
  id: Id,
  name: Type.String({ examples: ['ada'] }),
  role: Role,
  isActive: Type.Boolean({ description: 'Whether the operator is enabled.' }),
  hasSecondFactor: Type.Boolean(),
  createdAt: Timestamp,
  lastSignedInAt: NullableTimestamp,
});

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The sign-in name: a word or an e-mail address. Upper and lower case are not distinguished.',
  examples: ['ada'],
  [RULE]: NAME_RULE,
});

const GrantInput = Type.Object(
  {
    role: Role,
    accountId: Type.Union([Type.String(), Type.Null()], {
      description: 'Null: the whole installation.',
      [RULE]: 'must be the ID of an account, or null',
    }),
  },
  { [RULE]: 'must be an object with role and accountId' },
);

const Grants = Type.Array(GrantInput, { maxItems: 500, [RULE]: 'must be a list of at most 500 roles' });

export const NewOperatorBody = Type.Object(
  { name: Name, grants: Grants },
  { examples: [{ name: 'ada', grants: [{ role: 'owner', accountId: null }] }] },
);
export const GrantsBody = Type.Object(
  { grants: Grants },
  { examples: [{ grants: [{ role: 'owner', accountId: null }] }] },
);
export const SwitchBody = Type.Object({ isActive: Type.Boolean({ [RULE]: 'must be true or false' }) });
export const NewMemberBody = Type.Object({ name: Name, role: Role });
export const RoleBody = Type.Object({ role: Role });

export const LinkData = Type.Object({
  url: Type.String({
    description: 'One-time sign-in link; shown only once.',
    examples: ['https://console.example.com/console/sign-in#token=…'],
  }),
  expiresAt: Timestamp,
});

export const NewOperatorData = Type.Object({ id: Id, name: Type.String(), link: LinkData });
export const NewMemberData = Type.Object({
  id: Id,
  name: Type.String(),
  link: Type.Union([LinkData, Type.Null()], { description: 'Null for an existing operator.' }),
});

export const OperatorPath = Type.Object({ operatorId: PathId });
export const MemberPath = Type.Object({ accountId: Type.String(), operatorId: PathId });

export const RemoveQuery = Type.Object({
  end: Type.Optional(
    Type.Boolean({ description: 'Whether to revoke the keys and disable the webhooks that the operator created.' }),
  ),
});

export const CreatedCredentialData = Type.Object({
  kind: Type.Unsafe<'app' | 'key' | 'webhook'>({ type: 'string', enum: ['app', 'key', 'webhook'] }),
  id: Id,
  name: Type.String({ description: 'Name of the app or key, or URL of the webhook.', examples: ['Shop'] }),
  accountId: Id,
  accountName: Type.String(),
});
