import { Type } from '@sinclair/typebox';
import { DoneData } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { OptOutBody, OptOutData, OptOutListQuery, OptOutWordBody, OptOutWordData } from './opt-outs-schemas.js';

const WordPath = Type.Intersect([AccountPath, Type.Object({ word: Type.String() })]);

const decision = {
  needs: 'developer',
  roleScope: 'account',
  params: AccountPath,
  body: OptOutBody,
  data: DoneData,
  errors: [404],
} as const;

export const OPT_OUTS = {
  'GET /accounts/:accountId/opt-outs': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListOptOuts',
    summary: 'List the opt-outs by recipient and sender',
    params: AccountPath,
    query: OptOutListQuery,
    entry: OptOutData,
  },
  'POST /accounts/:accountId/opt-outs': {
    ...decision,
    operationId: 'consoleAddOptOut',
    summary: 'Opt a recipient out of a sender, as if they had sent STOP',
  },
  'POST /accounts/:accountId/opt-outs/lift': {
    ...decision,
    operationId: 'consoleLiftOptOut',
    summary: 'Remove an opt-out',
  },
  'GET /accounts/:accountId/opt-outs/words': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListOptOutWords',
    summary: "List the opt-out and opt-in keywords, the account's own first",
    params: AccountPath,
    data: Type.Array(OptOutWordData),
  },
  'POST /accounts/:accountId/opt-outs/words': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSetOptOutWord',
    summary: 'Add a keyword for the account, or change its meaning',
    params: AccountPath,
    body: OptOutWordBody,
    data: OptOutWordData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/opt-outs/words/:word': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleRemoveOptOutWord',
    summary: 'Remove a keyword of the account',
    params: WordPath,
    data: DoneData,
  },
} satisfies Contract;
