import type { Static } from '@sinclair/typebox';
import type { MemberData, NewMemberBody } from '../../../../src/surfaces/admin/contract/operators/operators-schemas.js';
import { call } from '../client/call.js';
import { queryClient } from '../client/query-client.js';
import { type Role, sessionQuery } from '../session.js';

export type Member = Static<typeof MemberData>;

export const membersKey = (accountId: string) => ['operators', accountId] as const;

/** Grants an operator a role in the account, and creates a sign-in link if the operator is new. */
export const addMember = (accountId: string, body: Static<typeof NewMemberBody>) =>
  refreshMembers(accountId, call('POST /accounts/:accountId/operators', { params: { accountId }, body }));

export const setMemberRole = (accountId: string, id: string, role: Role) =>
  refreshMembers(
    accountId,
    call('PUT /accounts/:accountId/operators/:operatorId', { params: { accountId, operatorId: id }, body: { role } }),
  );

export const removeMember = (accountId: string, id: string) =>
  refreshMembers(
    accountId,
    call('DELETE /accounts/:accountId/operators/:operatorId', { params: { accountId, operatorId: id } }),
  );

async function refreshMembers<T>(accountId: string, change: Promise<T>): Promise<T> {
  const result = await change;
  // The session is also refetched, because operators may have changed their own role.
  const staleKeys = [membersKey(accountId), ['audit', accountId], sessionQuery.queryKey];
  await Promise.all(staleKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  return result;
}
