import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data, type Entry } from './client/call.js';

export type OptOut = Entry<'GET /accounts/:accountId/opt-outs'>;
export type OptOutRef = Body<'POST /accounts/:accountId/opt-outs'>;
export type OptOutWord = Data<'GET /accounts/:accountId/opt-outs/words'>[number];

export const optOutWordsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['opt-outs', accountId, 'words'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/opt-outs/words', { params: { accountId }, signal }),
  });

export const addOptOut = (accountId: string, ref: OptOutRef) =>
  call('POST /accounts/:accountId/opt-outs', { params: { accountId }, body: ref });

export const liftOptOut = (accountId: string, ref: OptOutRef) =>
  call('POST /accounts/:accountId/opt-outs/lift', { params: { accountId }, body: ref });

export const setOptOutWord = (accountId: string, word: Body<'POST /accounts/:accountId/opt-outs/words'>) =>
  call('POST /accounts/:accountId/opt-outs/words', { params: { accountId }, body: word });

export const removeOptOutWord = (accountId: string, word: string) =>
  call('DELETE /accounts/:accountId/opt-outs/words/:word', { params: { accountId, word } });
