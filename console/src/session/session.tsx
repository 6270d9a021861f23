import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Account, accountQuery, type Channel } from '../api/account/account.js';
import { type Role, type Session, sessionQuery } from '../api/session.js';
import { useSearchParams } from '../browser/search.js';
import { accountToShow, noteAccount } from './last-account.js';

const RANK: Readonly<Record<Role, number>> = { viewer: 1, developer: 2, owner: 3 };

/** Who is signed in. Pages behind the sign-in have one; elsewhere it is null. */
export function useSession(): Session | null {
  return useQuery(sessionQuery).data ?? null;
}

/** Who is signed in, on a page that only such people see. */
export function useOperator(): Session['operator'] {
  const now = useSession()?.operator ?? null;
  // When the session ends the page is drawn until the sign-in has come.
  const [last, setLast] = useState(now);
  if (now !== null && now !== last) setLast(now);
  const operator = now ?? last;
  if (!operator) throw new Error('There is no session');
  return operator;
}

/** The account of the address, on pages below `/a/:accountId`. */
export function useAccountId(): string {
  const { accountId } = useParams({ strict: false });
  if (!accountId) throw new Error('The address names no account');
  return accountId;
}

/** The account of the address; on pages that are of none, the one that was looked at last. Undefined where there is none. */
export function useShownAccount(): string | undefined {
  const session = useSession();
  const { accountId } = useParams({ strict: false });
  useEffect(() => {
    if (accountId) noteAccount(accountId);
  }, [accountId]);
  return accountId ?? accountToShow(session?.accounts ?? []);
}

/**
 * Whether the operator may do what needs a role. The server asks the same again: this only hides what it would refuse.
 * @param of the account of the address unless told; `installation` for carriers, accounts and the like
 */
export function useCan(role: Role, of: 'account' | 'installation' = 'account'): boolean {
  const session = useSession();
  const { accountId } = useParams({ strict: false });
  return can(session, role, of === 'account' ? (accountId ?? null) : null);
}

/** Whether a session has a role for an account; null: for the installation. */
export function can(session: Session | null, role: Role, accountId: string | null): boolean {
  return (session?.grants ?? []).some(
    (grant) => (grant.accountId === null || grant.accountId === accountId) && RANK[grant.role] >= RANK[role],
  );
}

/** The account of the address with its balance and channels; undefined while it loads. */
export function useAccount(): Account | undefined {
  const { accountId } = useParams({ strict: false });
  return useQuery({ ...accountQuery(accountId ?? ''), enabled: accountId !== undefined }).data;
}

/**
 * The channel that the address chooses, or the first one: contacts, conversations, templates and the like belong to it.
 * Null while they load, and where the account has none.
 */
export function useChannel(): {
  channel: Channel | null;
  /** Undefined while they load. */
  channels: Channel[] | undefined;
  choose(channelId: string): void;
} {
  const [params, setParams] = useSearchParams();
  const channels = useAccount()?.channels;
  const channel = channels?.find(({ id }) => id === params.channel) ?? channels?.[0] ?? null;
  return { channel, channels, choose: (id) => setParams({ channel: id }) };
}
