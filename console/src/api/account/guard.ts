import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data } from '../client/call.js';
import { queryClient } from '../client/query-client.js';

export type Guards = Data<'GET /accounts/:accountId/guard'>;
export type Guard = NonNullable<Body<'PUT /accounts/:accountId/guard'>['guard']>;

export const guardsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'guard'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/guard', { params: { accountId }, signal }),
  });

export async function releaseHold(accountId: string, holdId: string): Promise<void> {
  const params = { accountId, holdId };
  const guards = await call('POST /accounts/:accountId/guard/holds/:holdId/release', { params });
  queryClient.setQueryData(guardsQuery(accountId).queryKey, guards);
}

export type VersionedGuard = Pick<Guards, 'guard' | 'version'>;

/** Returns the guard of a key, or of the account if `keyId` is null or the key no longer exists. */
export const findGuard = (guards: Guards, keyId: string | null): VersionedGuard =>
  guards.keys.find(({ id }) => id === keyId) ?? guards;

/** Null removes the guard. */
export async function setGuard(
  accountId: string,
  keyId: string | null,
  version: string,
  guard: Guard | null,
): Promise<VersionedGuard> {
  const body = { guard };
  const guards =
    keyId === null
      ? await call('PUT /accounts/:accountId/guard', { params: { accountId }, version, body })
      : await call('PUT /accounts/:accountId/keys/:keyId/guard', { params: { accountId, keyId }, version, body });
  queryClient.setQueryData(guardsQuery(accountId).queryKey, guards);
  return findGuard(guards, keyId);
}
