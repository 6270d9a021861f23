import { Type } from '@sinclair/typebox';
import { APP_SCOPES, CHANNEL_KEY_SCOPES, type ChannelKeyScope } from '../../../accounts/keys.js';
import { Id, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const Scope = <T extends string>(scopes: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...scopes], [RULE]: `must be one of ${scopes.join(', ')}` });
const AppScope = Scope(APP_SCOPES as readonly 'rest'[]);
const KeyScope = Scope<ChannelKeyScope>(CHANNEL_KEY_SCOPES);

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  examples: ['Shop'],
  [RULE]: 'must be a text of 1 to 100 characters',
});

const KEY_FIELDS = {
  id: Id,
  name: Type.String({ examples: ['Shop'] }),
  lastFour: Type.String({ description: 'The last characters of the key, to identify it.', examples: ['x7Qk'] }),
  createdAt: Timestamp,
  lastUsedAt: Type.Union([Timestamp, Type.Null()], { description: 'Accurate to a few seconds; null if never used.' }),
  revokedAt: NullableTimestamp,
  madeBy: Type.Union([Type.String(), Type.Null()], {
    description: 'The operator who created it, who may have been removed; null if created by a command, or unknown.',
  }),
};

export const AppData = Type.Object({ ...KEY_FIELDS, scopes: Type.Array(AppScope) });
export const KeyData = Type.Object({
  ...KEY_FIELDS,
  scopes: Type.Array(KeyScope),
  channelIds: Type.Array(Id, { description: 'The channels it is bound to.' }),
});

export const NewAppBody = Type.Object(
  {
    name: Name,
    scopes: Type.Array(AppScope, {
      description: '`rest`: the REST API, `/v1.0` and `/v2`.',
      [RULE]: 'must be a list of scopes',
    }),
  },
  { examples: [{ name: 'Shop', scopes: ['rest'] }] },
);

export const NewKeyBody = Type.Object(
  {
    name: Name,
    channelIds: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1000,
      [RULE]: 'must be a list of 1 to 1000 channel IDs',
    }),
    scopes: Type.Array(KeyScope, { minItems: 1, [RULE]: 'must be a list of at least one scope' }),
  },
  { examples: [{ name: 'Support', channelIds: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'], scopes: ['full'] }] },
);

export const NewAppData = Type.Object({
  id: Id,
  key: Type.String({ description: 'For `Authorization: Bearer`; shown only once.' }),
});
export const NewKeyData = Type.Object({
  id: Id,
  key: Type.String({ description: 'For `X-API-Key`; shown only once.' }),
  secret: Type.String({ description: 'For `X-API-Secret`; shown only once.' }),
});

export const AppPath = Type.Object({ accountId: Type.String(), appId: Type.String() });
export const KeyPath = Type.Object({ accountId: Type.String(), keyId: Type.String() });
