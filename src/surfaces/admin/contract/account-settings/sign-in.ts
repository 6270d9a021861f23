import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { DoneData } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import {
  CodeCountsData,
  CountsQuery,
  CreatedServiceData,
  NewServiceBody,
  ServiceData,
  ServiceSecretBody,
} from './sign-in-schemas.js';

const ServicePath = Type.Intersect([AccountPath, Type.Object({ id: PathId })]);

export const SIGN_IN = {
  'GET /accounts/:accountId/sign-in/services': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListSignInServices',
    summary: 'List the sign-in services of an account, oldest first',
    params: AccountPath,
    data: Type.Array(ServiceData),
  },
  'POST /accounts/:accountId/sign-in/services': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleAddSignInService',
    summary: "Create a hook for a login system, or a service of Twilio's Verify API",
    description: 'The secret of a hook is shown only once.',
    params: AccountPath,
    body: NewServiceBody,
    data: CreatedServiceData,
  },
  'POST /accounts/:accountId/sign-in/services/:id/secret': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSetSignInSecret',
    summary: 'Replace the secret of a hook',
    description: 'The new secret is shown only once. The previous secret becomes invalid.',
    params: ServicePath,
    body: ServiceSecretBody,
    data: CreatedServiceData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/sign-in/services/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleRemoveSignInService',
    summary: 'Remove a sign-in service; codes that are being sent still arrive',
    params: ServicePath,
    data: DoneData,
  },
  'GET /accounts/:accountId/sign-in/counts': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleCountSignInCodes',
    summary: 'Count the sign-in codes of recent days by country: sent, checked, approved',
    params: AccountPath,
    query: CountsQuery,
    data: Type.Array(CodeCountsData),
  },
} satisfies Contract;
