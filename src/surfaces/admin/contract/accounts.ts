import { Type } from '@sinclair/typebox';
import { pageQuery } from '../answers.js';
import { AccountData, AccountEntry, AccountPath } from './accounts-schemas.js';
import type { Contract } from './contract.js';

export const ACCOUNTS = {
  'GET /accounts': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleListAccounts',
    summary: 'List the accounts that the operator may see, newest first',
    query: pageQuery({
      search: Type.Optional(Type.String({ description: 'Part of the name, in upper or lower case.' })),
    }),
    entry: AccountEntry,
  },
  'GET /accounts/:accountId': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetAccount',
    summary: 'Show an account and its channels',
    params: AccountPath,
    data: AccountData,
  },
} satisfies Contract;
