import { Type } from '@sinclair/typebox';
import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import {
  CodeBody,
  EndedData,
  OwnSession,
  PasswordBody,
  RecoveryCodes,
  SecondFactorData,
  SessionPath,
} from './me-schemas.js';

const OWN = { needs: 'session', roleScope: 'self' } as const;

export const ME = {
  'GET /session/all': {
    ...OWN,
    operationId: 'consoleListOwnSessions',
    summary: 'List the sessions of the operator, most recently used first',
    data: Type.Array(OwnSession),
  },
  'DELETE /session/all': {
    ...OWN,
    operationId: 'consoleEndOtherSessions',
    summary: 'Sign out of all other sessions',
    data: EndedData,
  },
  'DELETE /session/all/:sessionId': {
    ...OWN,
    operationId: 'consoleEndOwnSession',
    summary: 'End a session of the operator',
    params: SessionPath,
    data: DoneData,
  },
  'PUT /session/password': {
    ...OWN,
    operationId: 'consoleChangeOwnPassword',
    summary: 'Change the password of the operator',
    description:
      'Ends the other sessions of the operator, and invalidates unused links. An operator without a password must have signed in or confirmed their identity in the last ten minutes.',
    body: PasswordBody,
    data: DoneData,
    errors: [429],
  },
  'POST /session/second-factor': {
    ...OWN,
    confirmed: true,
    operationId: 'consoleBeginSecondFactor',
    summary: 'Set up a second factor',
    description: 'It becomes active once a code was sent to `/admin/v1/session/second-factor/confirm`.',
    data: SecondFactorData,
    errors: [409],
  },
  'POST /session/second-factor/confirm': {
    ...OWN,
    operationId: 'consoleConfirmSecondFactor',
    summary: 'Activate the second factor with a code',
    body: CodeBody,
    data: RecoveryCodes,
    errors: [409, 429],
  },
  'POST /session/second-factor/recovery-codes': {
    ...OWN,
    operationId: 'consoleRenewRecoveryCodes',
    summary: 'Replace the recovery codes',
    body: CodeBody,
    data: RecoveryCodes,
    errors: [409, 429],
  },
  'DELETE /session/second-factor': {
    ...OWN,
    operationId: 'consoleEndSecondFactor',
    summary: 'Remove the second factor with a code',
    body: CodeBody,
    data: DoneData,
    errors: [409, 429],
  },
} satisfies Contract;
