import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  LinkData,
  MadeData,
  NewOperatorBody,
  NewOperatorData,
  OperatorData,
} from '../../../src/surfaces/admin/endpoints/operators/operators-schemas.js';
import { queryClient } from './query-client.js';
import { get, searchOf, send, sendVersioned } from './request.js';
import { type Grant, sessionQuery } from './session.js';

export type Operator = Static<typeof OperatorData>;

/** A link that signs somebody in once. */
export type SignInLink = Static<typeof LinkData>;

export const operatorsKey = ['operators', null] as const;

export const createOperator = (body: Static<typeof NewOperatorBody>) =>
  change<Static<typeof NewOperatorData>>('POST', '/operators', body);

/** Gives an operator these roles in place of those that they have. */
export const setGrants = async ({ id, version }: Operator, grants: readonly Grant[]) => {
  const body = { grants: grants.map(({ role, accountId }) => ({ role, accountId })) };
  // Where somebody else gave or took a role meanwhile, the page shows it before anything is changed.
  await sendVersioned('PUT', `/operators/${id}/grants`, version, body).finally(refresh);
};

export const switchOperator = (id: string, isActive: boolean) => change('PUT', `/operators/${id}/active`, { isActive });

/** Gives an operator a further link; those before it are good no more. */
export const giveLink = (id: string) => change<SignInLink>('POST', `/operators/${id}/link`);

/** Takes the password and the second factor away, and gives a link to begin anew. */
export const resetOperator = (id: string) => change<SignInLink>('POST', `/operators/${id}/reset`);

/** What an operator made that still works. */
export type MadeThing = Static<typeof MadeData>;
export const madeQuery = (id: string) =>
  queryOptions({
    queryKey: ['operators', null, id, 'made'],
    queryFn: ({ signal }) => get<MadeThing[]>(`/operators/${id}/made`, undefined, signal),
  });

/** @param end whether what they made ends with them */
export const removeOperator = (id: string, end: boolean) =>
  change('DELETE', `/operators/${id}${searchOf({ end: end || undefined })}`);

async function change<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const answer = await send<T>(method, path, body);
  await refresh();
  return answer;
}

async function refresh(): Promise<void> {
  // Who is changed may be who is signed in here.
  const stale = [operatorsKey, ['audit'], sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
