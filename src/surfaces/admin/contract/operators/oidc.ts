import { DoneData } from '../../answers.js';
import { OidcBeginBody, OidcBegunData, OidcData } from './oidc-schemas.js';
import type { Contract } from '../contract.js';

export const OIDC = {
  'GET /session/oidc': {
    needs: 'nothing',
    of: 'self',
    operationId: 'consoleGetOidc',
    summary: 'Tell whether operators can sign in by OpenID Connect',
    data: OidcData,
  },
  'POST /session/oidc': {
    needs: 'nothing',
    of: 'self',
    operationId: 'consoleBeginOidc',
    summary: 'Begin to sign in by OpenID Connect',
    description: 'The answer sets a cookie that binds the sign-in to the browser.',
    body: OidcBeginBody,
    data: OidcBegunData,
    errors: [404, 409, 429],
  },
  'POST /session/oidc/link': {
    needs: 'session',
    of: 'self',
    confirmed: true,
    operationId: 'consoleBeginOidcLink',
    summary: 'Begin to sign in by OpenID Connect from now on',
    description: 'For an operator who is signed in in another way. The answer sets a cookie as signing in does.',
    data: OidcBegunData,
    errors: [404, 409, 429],
  },
  'DELETE /session/oidc': {
    needs: 'session',
    of: 'self',
    confirmed: true,
    operationId: 'consoleEndOidc',
    summary: 'Sign in by OpenID Connect no more',
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
