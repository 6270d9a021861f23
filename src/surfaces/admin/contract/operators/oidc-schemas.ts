import { Type } from '@sinclair/typebox';
import { RULE } from '../../../http/validation.js';

export const OidcData = Type.Object({
  label: Type.Union([Type.String(), Type.Null()], {
    description: 'Display name of the issuer; null if OpenID Connect is not configured.',
    examples: ['Keycloak'],
  }),
});

export const OidcBeginBody = Type.Object({
  to: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'Page of the console to open afterwards; anything else counts as `/console/`.',
      examples: ['/console/me'],
      [RULE]: 'must be a text of at most 2000 characters',
    }),
  ),
});

export const OidcBegunData = Type.Object({
  url: Type.String({
    description: 'Where to send the browser, within ten minutes.',
    examples: ['https://login.example.com/realms/staff/protocol/openid-connect/auth?response_type=code'],
  }),
});
