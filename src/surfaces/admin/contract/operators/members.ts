import { DoneData, pageQuery } from '../../answers.js';
import { AccountPath } from '../accounts-schemas.js';
import {
  MemberData,
  MemberPath,
  NewMemberBody,
  NewMemberData,
  RoleBody,
} from './operators-schemas.js';
import type { Contract } from '../contract.js';

const change = { needs: 'owner', of: 'account', confirmed: true } as const;

export const MEMBERS = {
  'GET /accounts/:accountId/operators': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListMembers',
    summary: 'List the operators who have a role for the account, the newest first',
    params: AccountPath,
    query: pageQuery({}),
    entry: MemberData,
  },
  'POST /accounts/:accountId/operators': {
    ...change,
    operationId: 'consoleAddMember',
    summary: 'Give somebody a role for the account',
    description:
      'Whom nobody knows by this name yet is made an operator, with a link that signs them in once. An operator who is there already, without a role for the account, gets one by an owner of the installation alone; 409 for everybody else.',
    params: AccountPath,
    body: NewMemberBody,
    data: NewMemberData,
    errors: [409],
  },
  'PUT /accounts/:accountId/operators/:operatorId': {
    ...change,
    operationId: 'consoleSetMemberRole',
    summary: 'Give an operator another role for the account',
    description: 'Links that they have not used are good no more.',
    params: MemberPath,
    body: RoleBody,
    data: DoneData,
  },
  'DELETE /accounts/:accountId/operators/:operatorId': {
    ...change,
    operationId: 'consoleRemoveMember',
    summary: 'Take the role for the account from an operator',
    params: MemberPath,
    data: DoneData,
  },
} satisfies Contract;
