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

const ONCE =
  'A request repeated within 24 hours with the same `Idempotency-Key` books nothing and returns the first answer.';

export const SETTINGS = {
  'GET /account-defaults': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleGetAccountDefaults',
    summary: 'Show the defaults of a new account',
    data: AccountDefaultsData,
  },
  'POST /accounts': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreateAccount',
    summary: 'Create an account without credit',
    body: NewAccountBody,
    data: AccountSettingsData,
    errors: [404],
  },
  'GET /accounts/:accountId/settings': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetAccountSettings',
    summary: 'Show the settings of an account',
    params: AccountPath,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId/settings': {
    needs: 'owner',
    of: 'account',
    operationId: 'consoleChangeAccountSettings',
    summary: 'Set the balance below which the webhooks of the account are notified',
    params: AccountPath,
    body: OwnSettingsBody,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleChangeAccount',
    summary: 'Enable or disable an account, or set its sender IDs, rate card or default country',
    description: 'Takes effect within seconds. Absent fields stay unchanged.',
    params: AccountPath,
    body: AccountChangeBody,
    data: AccountSettingsData,
  },
  'POST /accounts/:accountId/credits': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreditAccount',
    summary: 'Add to the balance of an account',
    description: ONCE,
    params: AccountPath,
    body: CreditBody,
    data: CreditData,
    errors: [422],
  },
  'POST /accounts/:accountId/credits/correct': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCorrectCredit',
    summary: 'Reverse a mistaken credit, up to the balance',
    description: ONCE,
    params: AccountPath,
    body: CorrectionBody,
    data: CreditData,
    errors: [422],
  },
} satisfies Contract;
