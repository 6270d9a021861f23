import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from '../asking/call.js';
import { queryClient } from '../asking/query-client.js';
import { type Grant, sessionQuery } from '../session.js';

export type Operator = Entry<'GET /operators'>;

/** A link that signs somebody in once. */
export type SignInLink = Data<'POST /operators/:operatorId/link'>;

export const operatorsKey = ['operators', null] as const;

export const createOperator = (body: Body<'POST /operators'>) => changed(call('POST /operators', { body }));

/** Gives an operator these roles in place of those that they have. */
export const setGrants = async ({ id, version }: Operator, grants: readonly Grant[]) => {
  const body = { grants: grants.map(({ role, accountId }) => ({ role, accountId })) };
  // Where somebody else gave or took a role meanwhile, the page shows it before anything is changed.
  await call('PUT /operators/:operatorId/grants', { params: { operatorId: id }, version, body }).finally(refresh);
};

export const switchOperator = (id: string, isActive: boolean) =>
  changed(call('PUT /operators/:operatorId/active', { params: { operatorId: id }, body: { isActive } }));

/** Gives an operator a further link; those before it are good no more. */
export const giveLink = (id: string) =>
  changed(call('POST /operators/:operatorId/link', { params: { operatorId: id } }));

/** Removes the password and the second factor, and returns a one-time link to set new ones. */
export const resetOperator = (id: string) =>
  changed(call('POST /operators/:operatorId/reset', { params: { operatorId: id } }));

/** What an operator made that still works. */
export type MadeThing = Data<'GET /operators/:operatorId/made'>[number];
export const madeQuery = (id: string) =>
  queryOptions({
    queryKey: ['operators', null, id, 'made'],
    queryFn: ({ signal }) => call('GET /operators/:operatorId/made', { params: { operatorId: id }, signal }),
  });

/** @param end whether what they made ends with them */
export const removeOperator = (id: string, end: boolean) =>
  changed(call('DELETE /operators/:operatorId', { params: { operatorId: id }, query: { end: end || undefined } }));

async function changed<T>(change: Promise<T>): Promise<T> {
  const answer = await change;
  await refresh();
  return answer;
}

async function refresh(): Promise<void> {
  // Who is changed may be who is signed in here.
  const stale = [operatorsKey, ['audit'], sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
