import { Type } from '@sinclair/typebox';
import { DoneData } from '../../answers.js';
import {
  CodeBody,
  EndedData,
  OwnSession,
  PasswordBody,
  RecoveryCodes,
  SecondFactorData,
  SessionPath,
} from './me-schemas.js';
import type { Contract } from '../contract.js';

const own = { needs: 'session', of: 'self' } as const;

export const ME = {
  'GET /session/all': {
    ...own,
    operationId: 'consoleListOwnSessions',
    summary: 'List the sessions of the operator, the one used last first',
    data: Type.Array(OwnSession),
  },
  'DELETE /session/all': {
    ...own,
    operationId: 'consoleEndOtherSessions',
    summary: 'Sign out everywhere but here',
    data: EndedData,
  },
  'DELETE /session/all/:sessionId': {
    ...own,
    operationId: 'consoleEndOwnSession',
    summary: 'End a session of the operator',
    params: SessionPath,
    data: DoneData,
  },
  'PUT /session/password': {
    ...own,
    operationId: 'consoleChangeOwnPassword',
    summary: 'Change the password of the operator',
    description:
      'It ends the other sessions of the operator, and links that were not used. Who has no password yet must have signed in, or confirmed who they are, in the last ten minutes.',
    body: PasswordBody,
    data: DoneData,
    errors: [429],
  },
  'POST /session/second-factor': {
    ...own,
    confirmed: true,
    operationId: 'consoleBeginSecondFactor',
    summary: 'Begin a second factor',
    description: 'It counts once a code of it was given to `/admin/v1/session/second-factor/confirm`.',
    data: SecondFactorData,
    errors: [409],
  },
  'POST /session/second-factor/confirm': {
    ...own,
    operationId: 'consoleConfirmSecondFactor',
    summary: 'Have the second factor count, by a code of it',
    body: CodeBody,
    data: RecoveryCodes,
    errors: [409, 429],
  },
  'POST /session/second-factor/recovery-codes': {
    ...own,
    operationId: 'consoleRenewRecoveryCodes',
    summary: 'Make new recovery codes; those before are good no more',
    body: CodeBody,
    data: RecoveryCodes,
    errors: [409, 429],
  },
  'DELETE /session/second-factor': {
    ...own,
    operationId: 'consoleEndSecondFactor',
    summary: 'Take the second factor away, by a code of it',
    body: CodeBody,
    data: DoneData,
    errors: [409, 429],
  },
} satisfies Contract;
