import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Account, accountQuery, type Channel } from '../api/account/account.js';
import { type Role, type Session, sessionQuery } from '../api/session.js';
import { useSearchParams } from '../browser/search.js';
import { recordAccount, selectAccount } from './last-account.js';

const RANK: Readonly<Record<Role, number>> = { viewer: 1, developer: 2, owner: 3 };

/** Returns null on pages that need no sign-in. */
export function useSession(): Session | null {
  return useQuery(sessionQuery).data ?? null;
}

export function useOperator(): Session['operator'] {
  const current = useSession()?.operator ?? null;
  // After the session has ended, the page is still rendered until the sign-in page replaces it.
  const [lastOperator, setLast] = useState(current);
  if (current !== null && current !== lastOperator) setLast(current);
  const operator = current ?? lastOperator;
  if (!operator) throw new Error('useOperator was called on a page without a session');
  return operator;
}

export function useAccountId(): string {
  const { accountId } = useParams({ strict: false });
  if (!accountId) throw new Error('useAccountId was called on a page without an account in its URL');
  return accountId;
}

/** Returns the account in the URL, or else the account viewed last, or undefined if the operator can see no account. */
export function useShownAccount(): string | undefined {
  const session = useSession();
  const { accountId } = useParams({ strict: false });
  useEffect(() => {
    if (accountId) recordAccount(accountId);
  }, [accountId]);
  return accountId ?? selectAccount(session?.accounts ?? []);
}

/** The result is only for hiding controls, because the server checks permissions itself. */
export function useCan(role: Role, scope: 'account' | 'installation' = 'account'): boolean {
  const session = useSession();
  const { accountId } = useParams({ strict: false });
  return hasRole(session, role, scope === 'account' ? (accountId ?? null) : null);
}

/** @param accountId account, or null for the installation */
export function hasRole(session: Session | null, role: Role, accountId: string | null): boolean {
  return (session?.grants ?? []).some(
    (grant) => (grant.accountId === null || grant.accountId === accountId) && RANK[grant.role] >= RANK[role],
  );
}

/** Undefined while loading. */
export function useAccount(): Account | undefined {
  const { accountId } = useParams({ strict: false });
  return useQuery({ ...accountQuery(accountId ?? ''), enabled: accountId !== undefined }).data;
}

/** Returns the channel in the URL, or else the account's first channel. */
export function useChannel(): {
  channel: Channel | null;
  channels: Channel[] | undefined;
  choose(channelId: string): void;
} {
  const [params, setParams] = useSearchParams();
  const channels = useAccount()?.channels;
  const channel = channels?.find(({ id }) => id === params.channel) ?? channels?.[0] ?? null;
  return { channel, channels, choose: (id) => setParams({ channel: id }) };
}
