import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { GrantData, SessionData, SignInData } from '../../../src/surfaces/admin/contract/session-schemas.js';
import { call } from './client/call.js';
import { ApiError } from './client/request.js';

export type Session = Static<typeof SessionData>;
export type Grant = Static<typeof GrantData>;
export type Role = Grant['role'];
export type SignIn = Static<typeof SignInData>;

/** Null when signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await call('GET /session', { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export type Credentials = { name: string; password: string } | { token: string };

/**
 * @param code second-factor or recovery code, if the first response was `codeNeeded`
 * @param instead whether a sign-in link may replace another operator's session in this browser
 * @throws {ApiError} 401 if a credential is wrong, without revealing which
 */
export const signIn = (credentials: Credentials, code?: string, instead?: boolean): Promise<SignIn> =>
  'token' in credentials
    ? call('POST /session/link', { body: { ...credentials, code, instead } })
    : call('POST /session', { body: { ...credentials, code } });

/** The result is null if no OpenID Connect issuer is configured. */
export const oidcQuery = queryOptions({
  queryKey: ['oidc'],
  queryFn: ({ signal }) => call('GET /session/oidc', { signal }),
  select: ({ label }) => label,
  staleTime: Number.POSITIVE_INFINITY,
});

/** @throws {ApiError} 503 if the OpenID Connect issuer does not respond */
export async function signInByOidc(to: string): Promise<void> {
  const { url } = await call('POST /session/oidc', { body: { to } });
  window.location.assign(url);
}

export async function linkOidc(): Promise<void> {
  const { url } = await call('POST /session/oidc/link');
  window.location.assign(url);
}

export const unlinkOidc = () => call('DELETE /session/oidc');

export const signOut = () => call('DELETE /session');
