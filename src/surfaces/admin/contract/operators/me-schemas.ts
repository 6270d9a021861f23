import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

export const OwnSession = Type.Object({
  id: Id,
  isThis: Type.Boolean({ description: 'The session that asks.' }),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ ...Timestamp, description: 'To the minute.' }),
  expiresAt: Timestamp,
  address: NullableText,
  userAgent: Type.Union([Type.String(), Type.Null()], { description: 'What the browser says of itself.' }),
  way: Type.Unsafe<'password' | 'link' | 'oidc' | null>({
    enum: ['password', 'link', 'oidc', null],
    description: 'By which way it was begun: `oidc` is OpenID Connect. Null: it was begun before that was noted.',
  }),
});

export const SessionPath = Type.Object({ sessionId: PathId });

const Password = Type.String({ maxLength: 256, [RULE]: 'must be a text of at most 256 characters' });

export const PasswordBody = Type.Object({
  current: Type.Optional(Type.String({ ...Password, description: 'The one so far; who has none leaves it out.' })),
  password: Type.String({ ...Password, description: 'At least 12 characters.' }),
});

export const CodeBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Of the authenticator app. To take the second factor away, a recovery code will do.',
    [RULE]: 'must be a text of 1 to 64 characters',
  }),
});

export const SecondFactorData = Type.Object({
  secret: Type.String({ description: 'Base32, for an authenticator app; shown this once.' }),
  uri: Type.String({ description: '`otpauth://…`, for a QR code.' }),
});

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description: 'Each is good once in place of a code; shown this once.',
  }),
});

export const EndedData = Type.Object({ ended: Type.Integer({ description: 'Sessions that were ended.' }) });
