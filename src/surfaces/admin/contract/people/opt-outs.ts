import { Type } from '@sinclair/typebox';
import { DoneData } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import {
  OptOutBody,
  OptOutData,
  OptOutListQuery,
  OptOutWordBody,
  OptOutWordData,
} from './opt-outs-schemas.js';
import type { Contract } from '../contract.js';

const WordPath = Type.Intersect([AccountPath, Type.Object({ word: Type.String() })]);

const decision = {
  needs: 'developer',
  of: 'account',
  params: AccountPath,
  body: OptOutBody,
  data: DoneData,
  errors: [404],
} as const;

export const OPT_OUTS = {
  'GET /accounts/:accountId/opt-outs': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListOptOuts',
    summary: 'List who wants no messages from which sender',
    params: AccountPath,
    query: OptOutListQuery,
    entry: OptOutData,
  },
  'POST /accounts/:accountId/opt-outs': {
    ...decision,
    operationId: 'consoleAddOptOut',
    summary: 'Block a number for a sender, as if it had written STOP',
  },
  'POST /accounts/:accountId/opt-outs/lift': {
    ...decision,
    operationId: 'consoleLiftOptOut',
    summary: 'Let a sender write to a number again',
  },
  'GET /accounts/:accountId/opt-outs/words': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListOptOutWords',
    summary: 'List the words that stop and start messages, those of the account first',
    params: AccountPath,
    data: Type.Array(OptOutWordData),
  },
  'POST /accounts/:accountId/opt-outs/words': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSetOptOutWord',
    summary: 'Give the account a word of its own, or another meaning to one',
    params: AccountPath,
    body: OptOutWordBody,
    data: OptOutWordData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/opt-outs/words/:word': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleRemoveOptOutWord',
    summary: 'Take a word of the account away',
    params: WordPath,
    data: DoneData,
  },
} satisfies Contract;
