import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { followSession } from '../../console/src/session/follow-session.js';

const KEY = ['session'];
const sessionFor = (id: string) => ({ operator: { id } });

function startFollowing() {
  const client = new QueryClient();
  const recheckRoute = vi.fn<() => void>();
  const forget = vi.fn<() => void>();
  let lastId: string | null = null;
  const isAnother = (id: string) => {
    const previous = lastId;
    lastId = id;
    return previous !== null && previous !== id;
  };
  followSession(client, { sessionKey: KEY, isOtherOperator: isAnother, forgetOperator: forget, recheckRoute });
  const setSession = (session: ReturnType<typeof sessionFor> | null) => client.setQueryData(KEY, session);
  client.setQueryData(['contacts', 'an account'], ['Ada']);
  return {
    client,
    recheckRoute,
    forget,
    setSession,
    readCached: () => client.getQueryData(['contacts', 'an account']),
  };
}

describe('followSession', () => {
  it('the route is checked again when a session ends, but not if there was none', () => {
    const { recheckRoute, setSession, readCached } = startFollowing();
    setSession(null);
    expect(recheckRoute).not.toHaveBeenCalled();
    setSession(sessionFor('ada'));
    setSession(sessionFor('ada'));
    expect(recheckRoute).not.toHaveBeenCalled();
    setSession(null);
    setSession(null);
    expect(recheckRoute).toHaveBeenCalledTimes(1);
    setSession(sessionFor('ada'));
    expect(readCached()).toEqual(['Ada']);
  });

  it('cached queries are dropped when a different operator signs in, with or without signing out first', () => {
    const { client, recheckRoute, forget, setSession, readCached } = startFollowing();
    setSession(sessionFor('grace'));
    setSession(null);
    setSession(sessionFor('bob'));
    expect(readCached()).toBeUndefined();
    expect(recheckRoute).toHaveBeenCalledTimes(1);
    client.setQueryData(['contacts', 'an account'], ['Ada']);
    setSession(sessionFor('carl'));
    expect(readCached()).toBeUndefined();
    expect(recheckRoute).toHaveBeenCalledTimes(2);
    expect(forget).toHaveBeenCalledTimes(2);
    expect(client.getQueryData(KEY)).toEqual(sessionFor('carl'));
  });
});
