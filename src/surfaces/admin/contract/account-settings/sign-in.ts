import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { DoneData } from '../../answers.js';
import {
  CodeCountsData,
  CountsQuery,
  MadeServiceData,
  NewServiceBody,
  ServiceData,
  ServiceSecretBody,
} from './sign-in-schemas.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';

const ServicePath = Type.Intersect([AccountPath, Type.Object({ id: PathId })]);

export const SIGN_IN = {
  'GET /accounts/:accountId/sign-in/services': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListSignInServices',
    summary: 'List who asks for sign-in codes of the account, the oldest first',
    params: AccountPath,
    data: Type.Array(ServiceData),
  },
  'POST /accounts/:accountId/sign-in/services': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleAddSignInService',
    summary: "Set up a hook of a login system, or a service of Twilio's Verify API",
    description: 'The secret of a hook is told this once.',
    params: AccountPath,
    body: NewServiceBody,
    data: MadeServiceData,
  },
  'POST /accounts/:accountId/sign-in/services/:id/secret': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSetSignInSecret',
    summary: 'Give a hook another secret',
    description: 'It is told this once; the one before counts no more.',
    params: ServicePath,
    body: ServiceSecretBody,
    data: MadeServiceData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/sign-in/services/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleRemoveSignInService',
    summary: 'End a hook or a service; codes that are on their way still arrive',
    params: ServicePath,
    data: DoneData,
  },
  'GET /accounts/:accountId/sign-in/counts': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleCountSignInCodes',
    summary: 'Count the sign-in codes of the last days by country: sent, checked, approved',
    params: AccountPath,
    query: CountsQuery,
    data: Type.Array(CodeCountsData),
  },
} satisfies Contract;
