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
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';

const ONCE = 'With an `Idempotency-Key` a repetition within 24 hours books nothing more and has the first answer.';

export const SETTINGS = {
  'GET /account-defaults': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleGetAccountDefaults',
    summary: 'Show what a new account has where it is told nothing',
    data: AccountDefaultsData,
  },
  'POST /accounts': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreateAccount',
    summary: 'Make an account without credit',
    body: NewAccountBody,
    data: AccountSettingsData,
    errors: [404],
  },
  'GET /accounts/:accountId/settings': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetAccountSettings',
    summary: 'Show what is set of an account',
    params: AccountPath,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId/settings': {
    needs: 'owner',
    of: 'account',
    operationId: 'consoleChangeAccountSettings',
    summary: 'Set below which balance the webhooks of the account are told',
    params: AccountPath,
    body: OwnSettingsBody,
    data: AccountSettingsData,
  },
  'PATCH /accounts/:accountId': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleChangeAccount',
    summary: 'Switch an account on or off, or set its sender IDs, rate card or default country',
    description: 'Running servers go by it within seconds. What is left out stays.',
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
    summary: 'Take back what was credited by mistake, no more than the balance',
    description: ONCE,
    params: AccountPath,
    body: CorrectionBody,
    data: CreditData,
    errors: [422],
  },
} satisfies Contract;
