import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  OptOutBody,
  OptOutData,
  OptOutWordBody,
  OptOutWordData,
} from '../../../src/surfaces/admin/endpoints/people/opt-outs-schemas.js';
import { get, send } from './request.js';

export type OptOut = Static<typeof OptOutData>;
export type OptOutRef = Static<typeof OptOutBody>;
export type OptOutWord = Static<typeof OptOutWordData>;

export const optOutsPath = (accountId: string) => `/accounts/${accountId}/opt-outs`;

/** The words of the account and those that every account has. */
export const optOutWordsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['opt-outs', accountId, 'words'],
    queryFn: ({ signal }) => get<OptOutWord[]>(`${optOutsPath(accountId)}/words`, undefined, signal),
  });

export const addOptOut = (accountId: string, ref: OptOutRef) => send<object>('POST', optOutsPath(accountId), ref);

export const liftOptOut = (accountId: string, ref: OptOutRef) =>
  send<object>('POST', `${optOutsPath(accountId)}/lift`, ref);

export const setOptOutWord = (accountId: string, word: Static<typeof OptOutWordBody>) =>
  send<OptOutWord>('POST', `${optOutsPath(accountId)}/words`, word);

export const removeOptOutWord = (accountId: string, word: string) =>
  send<object>('DELETE', `${optOutsPath(accountId)}/words/${encodeURIComponent(word)}`);
