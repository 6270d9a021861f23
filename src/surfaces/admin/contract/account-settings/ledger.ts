import { Type } from '@sinclair/typebox';
import { pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { LedgerEntryData, LedgerKind } from './settings-schemas.js';

export const LEDGER = {
  'GET /accounts/:accountId/ledger': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListLedger',
    summary: 'List the ledger entries of an account, newest first',
    params: AccountPath,
    query: pageQuery({ kind: Type.Optional(LedgerKind) }),
    entry: LedgerEntryData,
  },
} satisfies Contract;
