import type { Static } from '@sinclair/typebox';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  AppData,
  KeyData,
  NewAppBody,
  NewAppData,
  NewKeyBody,
  NewKeyData,
} from '../../../src/surfaces/admin/endpoints/key-schemas.js';
import { forgetSecret, rememberSecret } from '../app/secrets.js';
import { get, send } from './request.js';

export type App = Static<typeof AppData>;
export type Key = Static<typeof KeyData>;
export type NewApp = Static<typeof NewAppBody>;
export type NewKey = Static<typeof NewKeyBody>;

export const appsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keys', accountId, 'apps'],
    queryFn: ({ signal }) => get<App[]>(`/accounts/${accountId}/apps`, undefined, signal),
  });

export const keysQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keys', accountId, 'keys'],
    queryFn: ({ signal }) => get<Key[]>(`/accounts/${accountId}/keys`, undefined, signal),
  });

/** Makes an app, and remembers its key for this tab. */
export function useCreateApp(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewApp) => {
      const made = await send<Static<typeof NewAppData>>('POST', `/accounts/${accountId}/apps`, body);
      rememberSecret({ ...made, accountId, name: body.name });
      return made;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}

/** Generates a key of channels, and remembers it with its secret for this tab. */
export function useCreateKey(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewKey) => {
      const made = await send<Static<typeof NewKeyData>>('POST', `/accounts/${accountId}/keys`, body);
      rememberSecret({ ...made, accountId, name: body.name, channelIds: body.channelIds });
      return made;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}

/** Revokes an app or a key for good. */
export function useRevoke(accountId: string, kind: 'apps' | 'keys') {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => {
      await send('POST', `/accounts/${accountId}/${kind}/${id}/revoke`);
      forgetSecret(id);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys', accountId] }),
  });
}
