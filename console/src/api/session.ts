import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { GrantData, SessionData, SignInData } from '../../../src/surfaces/admin/contract/session-schemas.js';
import { call } from './asking/call.js';
import { ApiError } from './asking/request.js';

/** Who is signed in, what they may do, and the accounts that they may see. */
export type Session = Static<typeof SessionData>;
export type Grant = Static<typeof GrantData>;
export type Role = Grant['role'];
/** What an attempt to sign in came to: a session, or the question for the code of the second factor. */
export type SignIn = Static<typeof SignInData>;

/** The session of this browser; null where nobody is signed in. */
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

/** How someone shows who they are: name and password, or the token of a link that works once. */
export type Credentials = { name: string; password: string } | { token: string };

/**
 * Signs in.
 * @param instead with a link: whether it may take the place of another operator's session in this browser
 * @param code of the second factor, or a recovery code, where the first answer was `codeNeeded`
 * @throws {ApiError} 401 where something is wrong, without saying what
 */
export const signIn = (credentials: Credentials, code?: string, instead?: boolean): Promise<SignIn> =>
  'token' in credentials
    ? call('POST /session/link', { body: { ...credentials, code, instead } })
    : call('POST /session', { body: { ...credentials, code } });

/** What people call the OpenID Connect issuer by which one may sign in; null where there is none. */
export const oidcQuery = queryOptions({
  queryKey: ['oidc'],
  queryFn: ({ signal }) => call('GET /session/oidc', { signal }),
  select: ({ label }) => label,
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Leaves for the issuer, which leads back to a page of the console.
 * @param to the page to show once signed in
 * @throws {ApiError} 503 where the issuer does not answer
 */
export async function signInByOidc(to: string): Promise<void> {
  const { url } = await call('POST /session/oidc', { body: { to } });
  window.location.assign(url);
}

/** Leaves for the issuer; whoever comes back signs in by it from now on. */
export async function linkOidc(): Promise<void> {
  const { url } = await call('POST /session/oidc/link');
  window.location.assign(url);
}

export const unlinkOidc = () => call('DELETE /session/oidc');

export const signOut = () => call('DELETE /session');
