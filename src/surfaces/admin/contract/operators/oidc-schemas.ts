import { Type } from '@sinclair/typebox';
import { RULE } from '../../../http/validation.js';

export const OidcData = Type.Object({
  label: Type.Union([Type.String(), Type.Null()], {
    description: 'What people call the issuer; null where there is none to sign in by.',
    examples: ['Keycloak'],
  }),
});

export const OidcBeginBody = Type.Object({
  to: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'The page of the console to show afterwards; whatever leads elsewhere is taken for `/console/`.',
      examples: ['/console/me'],
      [RULE]: 'must be a text of at most 2000 characters',
    }),
  ),
});

export const OidcBegunData = Type.Object({
  url: Type.String({
    description: 'Where the browser must go, within ten minutes.',
    examples: ['https://login.example.com/realms/staff/protocol/openid-connect/auth?response_type=code'],
  }),
});
