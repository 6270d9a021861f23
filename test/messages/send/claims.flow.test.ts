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

  it('claims what is due and has no owner, and nothing else', async () => {
    const account = await createTestAccount(test.deps);
    const to = Array.from({ length: 6 }, () => '15005550100');
    const ids = await accept(test.deps, account, { to });
    const [due, delivered, scheduled, held, overdue] = ids as [string, string, string, string, string];
    const set = (id: string, columns: string) =>
      test.deps.pool.query(`UPDATE messages SET ${columns} WHERE id = $1`, [id]);
    await set(delivered, "status = 'delivered'");
    await set(scheduled, "not_before = now() + interval '1 hour'");
    await set(held, "status = 'sending', lease_until = now() + interval '1 minute'");
    await set(overdue, "not_before = now() - interval '1 second'");
    const claimed = await claimMessages(test.deps.pool, ids.slice(0, 5), new Date());
    expect(claimed.map(({ id }) => id).sort()).toEqual([due, overdue].sort());
  });

  it('counts a message as maybe accepted once its lease was taken over, and no longer cancels it', async () => {
    const account = await createTestAccount(test.deps);
    const [id] = (await accept(test.deps, account)) as [string];
    const first = new Date('2027-01-15T12:00:00.000Z');
    const row = () => test.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    await test.deps.prisma.message.update({ where: { id }, data: { cancelReason: 'Stopped.' } });
    expect(await claimMessages(test.deps.pool, [id], first)).toMatchObject([{ cancelReason: 'Stopped.' }]);
    expect(await row()).toMatchObject({ maybeAccepted: false, sendingAt: first });
    await test.deps.pool.query("UPDATE messages SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await claimMessages(test.deps.pool, [id], new Date())).toMatchObject([{ attempt: 2, cancelReason: null }]);
    expect(await row()).toMatchObject({ maybeAccepted: true, sendingAt: first });
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
