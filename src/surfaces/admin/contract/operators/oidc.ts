import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import { OidcBeginBody, OidcBegunData, OidcData } from './oidc-schemas.js';

export const OIDC = {
  'GET /session/oidc': {
    needs: 'nothing',
    roleScope: 'self',
    operationId: 'consoleGetOidc',
    summary: 'Show whether operators can sign in by OpenID Connect',
    data: OidcData,
  },
  'POST /session/oidc': {
    needs: 'nothing',
    roleScope: 'self',
    operationId: 'consoleBeginOidc',
    summary: 'Start signing in by OpenID Connect',
    description: 'The response sets a cookie that binds the sign-in to the browser.',
    body: OidcBeginBody,
    data: OidcBegunData,
    errors: [404, 409, 429],
  },
  'POST /session/oidc/link': {
    needs: 'session',
    roleScope: 'self',
    confirmed: true,
    operationId: 'consoleBeginOidcLink',
    summary: 'Link the operator to OpenID Connect',
    description: 'For an operator who signed in another way. The response sets a cookie, as for signing in.',
    data: OidcBegunData,
    errors: [404, 409, 429],
  },
  'DELETE /session/oidc': {
    needs: 'session',
    roleScope: 'self',
    confirmed: true,
    operationId: 'consoleEndOidc',
    summary: 'Unlink the operator from OpenID Connect',
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
