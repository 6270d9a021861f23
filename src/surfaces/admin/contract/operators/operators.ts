import { Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../../answers.js';
import {
  GrantsBody,
  LinkData,
  MadeData,
  NewOperatorBody,
  NewOperatorData,
  OperatorData,
  OperatorPath,
  RemoveQuery,
  SwitchBody,
} from './operators-schemas.js';
import type { Contract } from '../contract.js';

const change = { needs: 'owner', of: 'installation', confirmed: true } as const;

export const OPERATORS = {
  'GET /operators': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListOperators',
    summary: 'List all operators, the newest first',
    query: pageQuery({}),
    entry: OperatorData,
  },
  'POST /operators': {
    ...change,
    operationId: 'consoleCreateOperator',
    summary: 'Make an operator, with a link that signs them in once',
    body: NewOperatorBody,
    data: NewOperatorData,
    errors: [404, 409],
  },
  'PUT /operators/:operatorId/grants': {
    ...change,
    versioned: true,
    operationId: 'consoleSetGrants',
    summary: 'Give an operator other roles in place of those that they have',
    description: 'Links that they have not used are good no more.',
    params: OperatorPath,
    body: GrantsBody,
    data: DoneData,
    errors: [409],
  },
  'PUT /operators/:operatorId/active': {
    ...change,
    operationId: 'consoleSwitchOperator',
    summary: 'Switch an operator on or off',
    description: 'Who is switched off is signed out at once.',
    params: OperatorPath,
    body: SwitchBody,
    data: DoneData,
    errors: [409],
  },
  'POST /operators/:operatorId/link': {
    ...change,
    operationId: 'consoleGiveLink',
    summary: 'Give an operator a further link that signs them in once',
    description: 'Those before it are good no more. The second factor is asked for all the same.',
    params: OperatorPath,
    data: LinkData,
    errors: [409],
  },
  'POST /operators/:operatorId/reset': {
    ...change,
    operationId: 'consoleResetOperator',
    summary: 'Have an operator begin anew',
    description: 'Takes the password and the second factor away, signs them out, and gives a link.',
    params: OperatorPath,
    data: LinkData,
  },
  'GET /operators/:operatorId/made': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleListMadeThings',
    summary: 'List what an operator made that still works: apps, API keys and webhooks',
    params: OperatorPath,
    data: Type.Array(MadeData),
  },
  'DELETE /operators/:operatorId': {
    ...change,
    operationId: 'consoleRemoveOperator',
    summary: 'Take an operator away',
    description:
      'What they made goes on without them, unless `end` is true: then their apps and keys are revoked, and their webhooks switched off, in the same step. `/admin/v1/operators/{operatorId}/made` tells what that is.',
    params: OperatorPath,
    query: RemoveQuery,
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
