import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  OptOutBody,
  OptOutData,
  OptOutWordBody,
  OptOutWordData,
} from '../../../src/surfaces/admin/endpoints/people/opt-outs-schemas.js';
import { call } from './call.js';

export type OptOut = Static<typeof OptOutData>;
export type OptOutRef = Static<typeof OptOutBody>;
export type OptOutWord = Static<typeof OptOutWordData>;

/** The words of the account and those that every account has. */
export const optOutWordsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['opt-outs', accountId, 'words'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/opt-outs/words', { params: { accountId }, signal }),
  });

export const addOptOut = (accountId: string, ref: OptOutRef) =>
  call('POST /accounts/:accountId/opt-outs', { params: { accountId }, body: ref });

export const liftOptOut = (accountId: string, ref: OptOutRef) =>
  call('POST /accounts/:accountId/opt-outs/lift', { params: { accountId }, body: ref });

export const setOptOutWord = (accountId: string, word: Static<typeof OptOutWordBody>) =>
  call('POST /accounts/:accountId/opt-outs/words', { params: { accountId }, body: word });

export const removeOptOutWord = (accountId: string, word: string) =>
  call('DELETE /accounts/:accountId/opt-outs/words/:word', { params: { accountId, word } });
