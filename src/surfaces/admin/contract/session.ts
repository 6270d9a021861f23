import { DoneData } from '../answers.js';
import type { Contract } from './contract.js';
import { SessionData, SignInBody, SignInData, SignInLinkBody } from './session-schemas.js';

export const SESSION = {
  'POST /session': {
    needs: 'nothing',
    roleScope: 'self',
    operationId: 'consoleSignIn',
    summary: 'Sign in by name and password',
    description: 'The response sets the session cookie.',
    body: SignInBody,
    data: SignInData,
    errors: [401, 429],
  },
  'POST /session/link': {
    needs: 'nothing',
    roleScope: 'self',
    operationId: 'consoleSignInByLink',
    summary: 'Sign in with a one-time link',
    description: 'The response sets the session cookie.',
    body: SignInLinkBody,
    data: SignInData,
    errors: [401, 429],
  },
  'GET /session': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleGetSession',
    summary: 'Show the signed-in operator and their roles',
    data: SessionData,
  },
  'DELETE /session': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleSignOut',
    summary: 'Sign out',
    data: DoneData,
  },
} satisfies Contract;
