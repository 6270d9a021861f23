import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

export const OwnSession = Type.Object({
  id: Id,
  isThis: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ ...Timestamp, description: 'Accurate to the minute.' }),
  expiresAt: Timestamp,
  address: NullableText,
  userAgent: Type.Union([Type.String(), Type.Null()], { description: 'User-Agent header of the browser.' }),
  way: Type.Unsafe<'password' | 'link' | 'oidc' | null>({
    enum: ['password', 'link', 'oidc', null],
    description:
      'How the operator signed in; `oidc` is OpenID Connect. Null for sessions from before this was recorded.',
  }),
});

export const SessionPath = Type.Object({ sessionId: PathId });

const Password = Type.String({ maxLength: 256, [RULE]: 'must be a text of at most 256 characters' });

export const PasswordBody = Type.Object({
  current: Type.Optional(Type.String({ ...Password, description: 'The current password, if there is one.' })),
  password: Type.String({ ...Password, description: 'At least 12 characters.' }),
});

export const CodeBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A code of the authenticator app. A recovery code also works for removing the second factor.',
    [RULE]: 'must be a text of 1 to 64 characters',
  }),
});

export const SecondFactorData = Type.Object({
  secret: Type.String({ description: 'Base32, for an authenticator app; shown only once.' }),
  uri: Type.String({ description: '`otpauth://…`, for a QR code.' }),
});

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description: 'Each can be used once instead of a code; shown only once.',
  }),
});

export const EndedData = Type.Object({ ended: Type.Integer({ description: 'Number of ended sessions.' }) });
