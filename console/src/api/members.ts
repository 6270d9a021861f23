import type { Static } from '@sinclair/typebox';
import type {
  MemberData,
  NewMemberBody,
  NewMemberData,
} from '../../../src/surfaces/admin/endpoints/operators/operators-schemas.js';
import { queryClient } from './query-client.js';
import { send } from './request.js';
import { type Role, sessionQuery } from './session.js';

/** An operator with a role for one account. */
export type Member = Static<typeof MemberData>;

export const membersKey = (accountId: string) => ['operators', accountId] as const;
export const membersPath = (accountId: string) => `/accounts/${accountId}/operators`;

/** Gives somebody a role; who is new gets a link. */
export const addMember = (accountId: string, body: Static<typeof NewMemberBody>) =>
  change<Static<typeof NewMemberData>>(accountId, 'POST', '', body);

export const setMemberRole = (accountId: string, id: string, role: Role) =>
  change(accountId, 'PUT', `/${id}`, { role });

export const removeMember = (accountId: string, id: string) => change(accountId, 'DELETE', `/${id}`);

async function change<T>(
  accountId: string,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await send<T>(method, `${membersPath(accountId)}${path}`, body);
  // Who is changed may be who is signed in here.
  const stale = [membersKey(accountId), ['audit', accountId], sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  return answer;
}
