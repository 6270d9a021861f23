import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from '../client/call.js';
import { queryClient } from '../client/query-client.js';
import { type Grant, sessionQuery } from '../session.js';

export type Operator = Entry<'GET /operators'>;

export type SignInLink = Data<'POST /operators/:operatorId/link'>;

export const operatorsKey = ['operators', null] as const;

export const createOperator = (body: Body<'POST /operators'>) => refreshOperators(call('POST /operators', { body }));

export const setGrants = async ({ id, version }: Operator, grants: readonly Grant[]) => {
  const body = { grants: grants.map(({ role, accountId }) => ({ role, accountId })) };
  // The list is also refetched after a version conflict, so that the page shows another operator's changes to roles.
  await call('PUT /operators/:operatorId/grants', { params: { operatorId: id }, version, body }).finally(refresh);
};

export const switchOperator = (id: string, isActive: boolean) =>
  refreshOperators(call('PUT /operators/:operatorId/active', { params: { operatorId: id }, body: { isActive } }));

/** Creates a new sign-in link, which invalidates earlier links. */
export const createSignInLink = (id: string) =>
  refreshOperators(call('POST /operators/:operatorId/link', { params: { operatorId: id } }));

/** Removes the password and the second factor, and creates a sign-in link to set them up again. */
export const resetOperator = (id: string) =>
  refreshOperators(call('POST /operators/:operatorId/reset', { params: { operatorId: id } }));

export type CreatedCredential = Data<'GET /operators/:operatorId/made'>[number];
export const createdCredentialsQuery = (id: string) =>
  queryOptions({
    queryKey: ['operators', null, id, 'made'],
    queryFn: ({ signal }) => call('GET /operators/:operatorId/made', { params: { operatorId: id }, signal }),
  });

/** @param end whether to also revoke the apps, keys and webhooks that the operator created */
export const removeOperator = (id: string, end: boolean) =>
  refreshOperators(
    call('DELETE /operators/:operatorId', { params: { operatorId: id }, query: { end: end || undefined } }),
  );

async function refreshOperators<T>(change: Promise<T>): Promise<T> {
  const result = await change;
  await refresh();
  return result;
}

async function refresh(): Promise<void> {
  // The session is also refetched, because the change may affect the operator who is signed in.
  const staleKeys = [operatorsKey, ['audit'], sessionQuery.queryKey];
  await Promise.all(staleKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
