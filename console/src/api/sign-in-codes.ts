import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data } from './client/call.js';

export type SignInService = Data<'GET /accounts/:accountId/sign-in/services'>[number];
export type CreatedSignInService = Data<'POST /accounts/:accountId/sign-in/services'>;
export type NewSignInService = Body<'POST /accounts/:accountId/sign-in/services'>;
export type CodeCounts = Data<'GET /accounts/:accountId/sign-in/counts'>[number];

const baseKey = (accountId: string) => ['sign-in-codes', accountId] as const;

export const servicesQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...baseKey(accountId), 'services'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/sign-in/services', { params: { accountId }, signal }),
  });

export const codeCountsQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...baseKey(accountId), 'counts'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/sign-in/counts', { params: { accountId }, signal }),
  });

export const addService = (accountId: string, body: NewSignInService) =>
  call('POST /accounts/:accountId/sign-in/services', { params: { accountId }, body });

/** @param secret secret that the login system has created; if empty, the server creates a secret */
export const setServiceSecret = (accountId: string, id: string, secret: string) =>
  call('POST /accounts/:accountId/sign-in/services/:id/secret', {
    params: { accountId, id },
    body: secret === '' ? {} : { secret },
  });

export const removeService = (accountId: string, id: string) =>
  call('DELETE /accounts/:accountId/sign-in/services/:id', { params: { accountId, id } });
