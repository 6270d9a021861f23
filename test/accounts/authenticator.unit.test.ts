import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/accounts/authenticator.js';

const KEY = 'hg_live_known';
const ACCOUNT = { id: 'account', currency: 'USD', rateCardId: 'standard' };
const CREDENTIAL = { keyId: 'key', surface: 'a', scopes: ['rest'], account: { ...ACCOUNT, key: { id: 'key' } } };

function createKeyTable() {
  const queries: number[] = [];
  const table = { queries, running: 0, mostRunning: 0, fails: false };
  const findMany = async ({ where }: { where: { keyHash: { in: Uint8Array[] } } }) => {
    queries.push(where.keyHash.in.length);
    table.running++;
    table.mostRunning = Math.max(table.mostRunning, table.running);
    await new Promise(setImmediate);
    table.running--;
    if (table.fails) throw new Error('connection refused');
    const keyHash = hash('sha256', KEY, 'buffer');
    const isKnown = where.keyHash.in.some((queriedHash) => keyHash.equals(queriedHash));
    return isKnown ? [{ id: 'key', surface: 'a', scopes: ['rest'], keyHash, account: ACCOUNT }] : [];
  };
  const authenticator = new Authenticator({ prisma: { apiKey: { findMany } } as never });
  return { table, authenticator };
}

describe('Authenticator', () => {
  it('queries a key once, then answers from the cache', async () => {
    const { table, authenticator } = createKeyTable();
    expect(await authenticator.find(KEY)).toEqual(CREDENTIAL);
    expect(authenticator.find(KEY)).toEqual(CREDENTIAL);
    expect(table.queries).toEqual([1]);
  });

  it('caches that a key is unknown', async () => {
    const { table, authenticator } = createKeyTable();
    expect(await authenticator.find('wrong')).toBeNull();
    expect(authenticator.find('wrong')).toBeNull();
    expect(table.queries).toEqual([1]);
  });

  it('runs one query for concurrent requests with the same key', async () => {
    const { table, authenticator } = createKeyTable();
    const credentials = await Promise.all(Array.from({ length: 1000 }, () => authenticator.find(KEY)));
    expect(credentials.every((credential) => credential?.keyId === 'key')).toBe(true);
    expect(table.queries).toEqual([1]);
  });

  it('looks up a flood of wrong keys in batches, one query at a time, and still finds the valid key', async () => {
    const { table, authenticator } = createKeyTable();
    const wrongLookups = Array.from({ length: 1000 }, (_, index) => authenticator.find(`wrong ${index}`));
    expect(await authenticator.find(KEY)).toEqual(CREDENTIAL);
    expect(new Set(await Promise.all(wrongLookups))).toEqual(new Set([null]));
    expect(table.mostRunning).toBe(1);
    expect(table.queries).toEqual([200, 200, 200, 200, 200, 1]);
  });

  it('does not query keys that are too long', () => {
    const { table, authenticator } = createKeyTable();
    expect(authenticator.find('x'.repeat(257))).toBeNull();
    expect(table.queries).toEqual([]);
  });

  it('passes on a failed query and queries again for the next request', async () => {
    const { table, authenticator } = createKeyTable();
    table.fails = true;
    await expect(authenticator.find(KEY)).rejects.toThrow('connection refused');
    table.fails = false;
    expect(await authenticator.find(KEY)).toEqual(CREDENTIAL);
  });
});
