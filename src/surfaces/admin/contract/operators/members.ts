import { DoneData, pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { MemberData, MemberPath, NewMemberBody, NewMemberData, RoleBody } from './operators-schemas.js';

const change = { needs: 'owner', roleScope: 'account', confirmed: true } as const;

export const MEMBERS = {
  'GET /accounts/:accountId/operators': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListMembers',
    summary: 'List the operators with a role for the account, newest first',
    params: AccountPath,
    query: pageQuery({}),
    entry: MemberData,
  },
  'POST /accounts/:accountId/operators': {
    ...change,
    operationId: 'consoleAddMember',
    summary: 'Give a person a role for the account',
    description:
      'Creates an operator if the name is unknown, with a one-time sign-in link. An existing operator without a role for the account can be added only by an owner of the installation; for anyone else this gets 409.',
    params: AccountPath,
    body: NewMemberBody,
    data: NewMemberData,
    errors: [409],
  },
  'PUT /accounts/:accountId/operators/:operatorId': {
    ...change,
    operationId: 'consoleSetMemberRole',
    summary: "Change an operator's role for the account",
    description: 'Their unused sign-in links become invalid.',
    params: MemberPath,
    body: RoleBody,
    data: DoneData,
  },
  'DELETE /accounts/:accountId/operators/:operatorId': {
    ...change,
    operationId: 'consoleRemoveMember',
    summary: "Remove an operator's role for the account",
    params: MemberPath,
    data: DoneData,
  },
} satisfies Contract;
