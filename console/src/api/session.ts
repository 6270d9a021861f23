import { queryOptions } from '@tanstack/react-query';
import { ApiError, get, send } from './request.js';

export type Role = 'viewer' | 'developer' | 'owner';

export interface Grant {
  /** Null: every account, and the installation itself. */
  accountId: string | null;
  role: Role;
}

/** Who is signed in, and what they may see. */
export interface Session {
  operator: { id: string; name: string; grants: Grant[] };
  /** The accounts that the operator may see, by name; of many the first ones. */
  accounts: { id: string; name: string }[];
}

/** What an attempt to sign in came to: a session, or the question for the second factor. */
export type SignIn = { secondFactor: 'required' } | { secondFactor: 'none' };

/** The session of this browser; null where nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await get<Session>('/session', undefined, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** @throws {ApiError} 401 where name or password is wrong, without saying which */
export const signIn = (name: string, password: string) => send<SignIn>('POST', '/session', { name, password });

/** Signs in by the link that the server or the command line printed; it works once. */
export const signInByLink = (token: string) => send<SignIn>('POST', '/session/link', { token });

/** The second step: a code of the authenticator, or one of the recovery codes. */
export const signInBySecondFactor = (code: string) => send<SignIn>('POST', '/session/second-factor', { code });

export const signOut = () => send<void>('DELETE', '/session');
