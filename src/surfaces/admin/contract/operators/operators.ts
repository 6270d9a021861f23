import { Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../../answers.js';
import type { Contract } from '../contract.js';
import {
  CreatedCredentialData,
  GrantsBody,
  LinkData,
  NewOperatorBody,
  NewOperatorData,
  OperatorData,
  OperatorPath,
  RemoveQuery,
  SwitchBody,
} from './operators-schemas.js';

const change = { needs: 'owner', roleScope: 'installation', confirmed: true } as const;

export const OPERATORS = {
  'GET /operators': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleListOperators',
    summary: 'List all operators, newest first',
    query: pageQuery({}),
    entry: OperatorData,
  },
  'POST /operators': {
    ...change,
    operationId: 'consoleCreateOperator',
    summary: 'Create an operator, with a one-time sign-in link',
    body: NewOperatorBody,
    data: NewOperatorData,
    errors: [404, 409],
  },
  'PUT /operators/:operatorId/grants': {
    ...change,
    versioned: true,
    operationId: 'consoleSetGrants',
    summary: 'Replace the roles of an operator',
    description: 'Their unused sign-in links become invalid.',
    params: OperatorPath,
    body: GrantsBody,
    data: DoneData,
    errors: [409],
  },
  'PUT /operators/:operatorId/active': {
    ...change,
    operationId: 'consoleSwitchOperator',
    summary: 'Enable or disable an operator',
    description: 'A disabled operator is signed out at once.',
    params: OperatorPath,
    body: SwitchBody,
    data: DoneData,
    errors: [409],
  },
  'POST /operators/:operatorId/link': {
    ...change,
    operationId: 'consoleGiveLink',
    summary: 'Create another one-time sign-in link for an operator',
    description: 'Earlier links become invalid. The second factor is still required.',
    params: OperatorPath,
    data: LinkData,
    errors: [409],
  },
  'POST /operators/:operatorId/reset': {
    ...change,
    operationId: 'consoleResetOperator',
    summary: 'Reset the credentials of an operator',
    description: 'Removes the password and the second factor, ends all sessions, and creates a sign-in link.',
    params: OperatorPath,
    data: LinkData,
  },
  'GET /operators/:operatorId/made': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleListMadeThings',
    summary: 'List active credentials that an operator created: apps, API keys and webhooks',
    params: OperatorPath,
    data: Type.Array(CreatedCredentialData),
  },
  'DELETE /operators/:operatorId': {
    ...change,
    operationId: 'consoleRemoveOperator',
    summary: 'Remove an operator',
    description:
      'Credentials they created keep working, unless `end` is true: then their apps and keys are revoked and their webhooks disabled in the same transaction. `/admin/v1/operators/{operatorId}/made` lists them.',
    params: OperatorPath,
    query: RemoveQuery,
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
