import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import {
  AccountChangeBody,
  AccountDefaultsData,
  AccountSettingsData,
  CorrectionBody,
  CreditBody,
  CreditData,
  NewAccountBody,
  OwnSettingsBody,
} from './settings-schemas.js';

const BOOKED_ONCE =
  'A request repeated within 24 hours with the same `Idempotency-Key` changes nothing and returns the first response.';

export const SETTINGS = {
  'GET /account-defaults': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleGetAccountDefaults',
    summary: 'Show the defaults of a new account',
    data: AccountDefaultsData,
  },
  'POST /accounts': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCreateAccount',
    summary: 'Create an account without credit',
    body: NewAccountBody,
    data: AccountSettingsData,
    errors: [404],
  },
  'GET /accounts/:accountId/settings': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetAccountSettings',
    summary: 'Show the settings of an account',
    params: AccountPath,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId/settings': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleChangeAccountSettings',
    summary: 'Set the balance below which the webhooks of the account are notified',
    params: AccountPath,
    body: OwnSettingsBody,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleChangeAccount',
    summary: 'Enable or disable an account, or set its sender IDs, rate card or default country',
    description: 'Takes effect within seconds. Absent fields stay unchanged.',
    params: AccountPath,
    body: AccountChangeBody,
    data: AccountSettingsData,
  },
  'POST /accounts/:accountId/credits': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCreditAccount',
    summary: 'Add to the balance of an account',
    description: BOOKED_ONCE,
    params: AccountPath,
    body: CreditBody,
    data: CreditData,
    errors: [422],
  },
  'POST /accounts/:accountId/credits/correct': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCorrectCredit',
    summary: 'Reverse a mistaken credit, up to the balance',
    description: BOOKED_ONCE,
    params: AccountPath,
    body: CorrectionBody,
    data: CreditData,
    errors: [422],
  },
} satisfies Contract;
