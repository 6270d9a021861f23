import { Type } from '@sinclair/typebox';
import { pageQuery } from '../../answers.js';
import { LedgerEntryData, LedgerKind } from './settings-schemas.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';

export const LEDGER = {
  'GET /accounts/:accountId/ledger': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListLedger',
    summary: 'List the lines of the ledger of an account, the newest first',
    params: AccountPath,
    query: pageQuery({ kind: Type.Optional(LedgerKind) }),
    entry: LedgerEntryData,
  },
} satisfies Contract;
