import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChannelAuthenticator } from '../../src/accounts/channel-authenticator.js';

const KEY = 'hg_live_known';
const SECRET = 'hg_secret_known';
const ACCOUNT = { id: 'account', currency: 'USD', rateCardId: 'standard' };
const CHANNEL = {
  id: 'channel',
  kind: 'whatsapp',
  name: 'Main',
  phoneNumber: '15005550100',
  carrier: 'simulator',
  isActive: true,
  healthStatus: 'healthy',
};
const CALLER = { keyId: 'key', account: { ...ACCOUNT, key: { id: 'key' } }, channel: CHANNEL, scopes: ['full'] };

function createKeyTable() {
  const queries: number[] = [];
  const findMany = async ({ where }: { where: { keyHash: { in: Uint8Array[] } } }) => {
    queries.push(where.keyHash.in.length);
    await new Promise(setImmediate);
    const keyHash = hash('sha256', KEY, 'buffer');
    const row = {
      id: 'key',
      scopes: ['full'],
      keyHash,
      secretHash: hash('sha256', SECRET, 'buffer'),
      account: ACCOUNT,
      channels: [
        { channel: { ...CHANNEL, accountId: 'account' } },
        { channel: { ...CHANNEL, id: 'stray', accountId: 'another' } },
      ],
    };
    return where.keyHash.in.some((queriedHash) => keyHash.equals(queriedHash)) ? [row] : [];
  };
  return { queries, authenticator: new ChannelAuthenticator({ prisma: { apiKey: { findMany } } as never }) };
}

describe('ChannelAuthenticator', () => {
  it('queries a key once, then checks any secret and channel from the cache', async () => {
    const { queries, authenticator } = createKeyTable();
    expect(await authenticator.find(KEY, SECRET, 'channel')).toEqual(CALLER);
    expect(authenticator.find(KEY, SECRET, 'CHANNEL')).toEqual(CALLER);
    expect(authenticator.find(KEY, 'wrong', 'channel')).toBe('unknown key');
    expect(authenticator.find(KEY, SECRET, 'other')).toBe('foreign channel');
    expect(authenticator.find(KEY, SECRET, 'stray')).toBe('foreign channel');
    expect(queries).toEqual([1]);
  });

  it('runs one query for concurrent requests with the same key', async () => {
    const { queries, authenticator } = createKeyTable();
    const callers = await Promise.all(
      Array.from({ length: 1000 }, () => authenticator.find(KEY, SECRET, 'channel') as Promise<unknown>),
    );
    expect(new Set(callers.map((caller) => JSON.stringify(caller)))).toEqual(new Set([JSON.stringify(CALLER)]));
    expect(queries).toEqual([1]);
  });

  it('does not query the key if the secret is too long', () => {
    const { queries, authenticator } = createKeyTable();
    expect(authenticator.find(KEY, 'x'.repeat(257), 'channel')).toBe('unknown key');
    expect(queries).toEqual([]);
  });
});
