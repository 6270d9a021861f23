import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetSecret, rememberSecret } from '../../browser/secrets.js';
import { type Body, call, type Data } from '../client/call.js';

export type App = Data<'GET /accounts/:accountId/apps'>[number];
export type Key = Data<'GET /accounts/:accountId/keys'>[number];
export type NewApp = Body<'POST /accounts/:accountId/apps'>;
export type NewKey = Body<'POST /accounts/:accountId/keys'>;

export const appsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keys', accountId, 'apps'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/apps', { params: { accountId }, signal }),
  });

export const keysQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keys', accountId, 'keys'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/keys', { params: { accountId }, signal }),
  });

/** Keeps the new app's key in this browser tab for the playground. */
export function useCreateApp(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewApp) => {
      const created = await call('POST /accounts/:accountId/apps', { params: { accountId }, body });
      rememberSecret({ ...created, accountId, name: body.name });
      return created;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}

/** Keeps the new key and its secret in this browser tab for the playground. */
export function useCreateKey(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewKey) => {
      const created = await call('POST /accounts/:accountId/keys', { params: { accountId }, body });
      rememberSecret({ ...created, accountId, name: body.name, channelIds: body.channelIds });
      return created;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}

export function useRevoke(accountId: string, kind: 'apps' | 'keys') {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      await (kind === 'apps'
        ? call('POST /accounts/:accountId/apps/:appId/revoke', { params: { accountId, appId: id } })
        : call('POST /accounts/:accountId/keys/:keyId/revoke', { params: { accountId, keyId: id } }));
      forgetSecret(id);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}
