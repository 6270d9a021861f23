import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/messages/send/retry-delay.js';
import { claimMessages, renewLeases } from '../../../src/messages/send/send-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

describe('claims: two workers never send the same message', () => {
  const test = sharedApp({ role: 'api' });

  it('of many workers that claim the same batch at once, each message goes to one', async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account, { to: Array.from({ length: 200 }, () => '15005550100') });
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimMessages(test.deps.pool, ids, new Date())));
    const claimed = claims.flat().map(({ id }) => id);
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBe(200);
  });

  it('a lease that is renewed is not taken over; one that ran out is, and counts an attempt', async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account);
    const held = await claimMessages(test.deps.pool, ids, new Date());
    const leave = (seconds: number) =>
      test.deps.pool.query("UPDATE messages SET lease_until = now() + $2 * interval '1 second' WHERE id = $1", [
        ids[0],
        seconds,
      ]);
    await leave(1);
    expect(await renewLeases(test.deps.pool, held)).toEqual(new Set(ids));
    const { rows } = await test.deps.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS left FROM messages WHERE id = $1',
      [ids[0]],
    );
    expect(rows[0]?.left).toBeGreaterThan(25);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toEqual([]);

    await leave(-1);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toMatchObject([{ attempt: 2 }]);
    expect(await renewLeases(test.deps.pool, held)).toEqual(new Set());
  });

  it("a lease from before PostgreSQL's clock stepped back keeps its owner, who renews it by the new time", async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account);
    const held = await claimMessages(test.deps.pool, ids, new Date());
    // Seen from the clock after the step, the lease ends an hour later.
    await test.deps.pool.query("UPDATE messages SET lease_until = lease_until + interval '1 hour' WHERE id = $1", [
      ids[0],
    ]);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toEqual([]);
    expect(await renewLeases(test.deps.pool, held)).toEqual(new Set(ids));
    const { rows } = await test.deps.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS left FROM messages WHERE id = $1',
      [ids[0]],
    );
    expect(rows[0]?.left).toBeLessThanOrEqual(30);
  });

  it('waits 1, 2, 4 … 300 seconds between tries, give or take a fifth', () => {
    const middle = () => 0.5;
    expect([1, 2, 3, 4, 9, 10, 500].map((attempt) => retryDelayMs(attempt, middle))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(1, () => 0)).toBe(800);
    expect(retryDelayMs(1, () => 0.999999)).toBe(1_200);
  });
});
