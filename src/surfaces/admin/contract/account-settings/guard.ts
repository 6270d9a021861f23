import { GuardBody, GuardsData, HoldPath } from './guard-schemas.js';
import { AccountPath } from '../accounts-schemas.js';
import { KeyPath } from '../keys-schemas.js';
import type { Contract } from '../contract.js';

export const GUARD = {
  'GET /accounts/:accountId/guard': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetGuards',
    summary: 'Show to where the account and its keys may send, how much, and how much of it is used',
    params: AccountPath,
    data: GuardsData,
  },
  'PUT /accounts/:accountId/guard': {
    needs: 'owner',
    of: 'installation',
    versioned: true,
    operationId: 'consoleSetGuard',
    summary: 'Set to where the account may send, and how much',
    description: 'Running servers go by it within two seconds.',
    params: AccountPath,
    body: GuardBody,
    data: GuardsData,
  },
  'PUT /accounts/:accountId/keys/:keyId/guard': {
    needs: 'owner',
    of: 'account',
    versioned: true,
    operationId: 'consoleSetKeyGuard',
    summary: 'Set to where a key or an app may send, and how much',
    description: 'It obeys the guard of the account as well. Running servers go by it within two seconds.',
    params: KeyPath,
    body: GuardBody,
    data: GuardsData,
    errors: [404],
  },
  'POST /accounts/:accountId/guard/holds/:holdId/release': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleReleaseHold',
    summary: 'Let numbers that are held be sent to again',
    description: 'For an hour nothing is held there, whatever comes.',
    params: HoldPath,
    data: GuardsData,
    errors: [404],
  },
} satisfies Contract;
