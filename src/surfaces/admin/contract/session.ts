import { DoneData } from '../answers.js';
import { SessionData, SignInBody, SignInData, SignInLinkBody } from './session-schemas.js';
import type { Contract } from './contract.js';

export const SESSION = {
  'POST /session': {
    needs: 'nothing',
    of: 'self',
    operationId: 'consoleSignIn',
    summary: 'Sign in by name and password',
    description: 'The answer sets the cookie of the session.',
    body: SignInBody,
    data: SignInData,
    errors: [401, 429],
  },
  'POST /session/link': {
    needs: 'nothing',
    of: 'self',
    operationId: 'consoleSignInByLink',
    summary: 'Sign in by a link that works once',
    description: 'The answer sets the cookie of the session.',
    body: SignInLinkBody,
    data: SignInData,
    errors: [401, 429],
  },
  'GET /session': {
    needs: 'session',
    of: 'self',
    operationId: 'consoleGetSession',
    summary: 'Tell who is signed in, and what they may do',
    data: SessionData,
  },
  'DELETE /session': {
    needs: 'session',
    of: 'self',
    operationId: 'consoleSignOut',
    summary: 'Sign out',
    data: DoneData,
  },
} satisfies Contract;
