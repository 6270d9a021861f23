import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { followSession } from '../../console/src/session/follow-session.js';

const KEY = ['session'];
const of = (id: string) => ({ operator: { id } });

function followed() {
  const client = new QueryClient();
  const lookAgain = vi.fn<() => void>();
  const forget = vi.fn<() => void>();
  let last: string | null = null;
  const isAnother = (id: string) => {
    const before = last;
    last = id;
    return before !== null && before !== id;
  };
  followSession(client, { sessionKey: KEY, isAnother, forget, lookAgain });
  const answers = (session: ReturnType<typeof of> | null) => client.setQueryData(KEY, session);
  client.setQueryData(['contacts', 'an account'], ['Ada']);
  return { client, lookAgain, forget, answers, kept: () => client.getQueryData(['contacts', 'an account']) };
}

describe('what follows who is signed in', () => {
  it('looks again when a session has ended, and not where there was none', () => {
    const { lookAgain, answers, kept } = followed();
    answers(null);
    expect(lookAgain).not.toHaveBeenCalled();
    answers(of('ada'));
    answers(of('ada'));
    expect(lookAgain).not.toHaveBeenCalled();
    answers(null);
    answers(null);
    expect(lookAgain).toHaveBeenCalledTimes(1);
    // They may come back.
    answers(of('ada'));
    expect(kept()).toEqual(['Ada']);
  });

  it('forgets what was read when somebody else signs in, after the end of a session or in its place', () => {
    const { client, lookAgain, forget, answers, kept } = followed();
    answers(of('grace'));
    answers(null);
    answers(of('bob'));
    expect(kept()).toBeUndefined();
    expect(lookAgain).toHaveBeenCalledTimes(1);
    client.setQueryData(['contacts', 'an account'], ['Ada']);
    answers(of('carl'));
    expect(kept()).toBeUndefined();
    expect(lookAgain).toHaveBeenCalledTimes(2);
    expect(forget).toHaveBeenCalledTimes(2);
    expect(client.getQueryData(KEY)).toEqual(of('carl'));
  });
});
