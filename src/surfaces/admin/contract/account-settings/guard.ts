import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { KeyPath } from '../keys-schemas.js';
import { GuardBody, GuardsData, HoldPath } from './guard-schemas.js';

export const GUARD = {
  'GET /accounts/:accountId/guard': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetGuards',
    summary: 'Show the spending guards of an account and its keys, with their usage',
    params: AccountPath,
    data: GuardsData,
  },
  'PUT /accounts/:accountId/guard': {
    needs: 'owner',
    roleScope: 'installation',
    versioned: true,
    operationId: 'consoleSetGuard',
    summary: 'Set the spending guard of an account',
    description: 'Takes effect within two seconds.',
    params: AccountPath,
    body: GuardBody,
    data: GuardsData,
  },
  'PUT /accounts/:accountId/keys/:keyId/guard': {
    needs: 'owner',
    roleScope: 'account',
    versioned: true,
    operationId: 'consoleSetKeyGuard',
    summary: 'Set the spending guard of a key or an app',
    description: 'The guard of the account applies too. Takes effect within two seconds.',
    params: KeyPath,
    body: GuardBody,
    data: GuardsData,
    errors: [404],
  },
  'POST /accounts/:accountId/guard/holds/:holdId/release': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleReleaseHold',
    summary: 'Release held numbers',
    description: 'The same prefix cannot be held again for an hour.',
    params: HoldPath,
    data: GuardsData,
    errors: [404],
  },
} satisfies Contract;
