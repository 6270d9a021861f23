import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/messages/send/retry-delay.js';
import { claimMessages, renewLeases } from '../../../src/messages/send/send-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

describe('claiming messages', () => {
  const test = sharedApp({ role: 'api' });

  it('only one of many workers gets each message of a batch they all claim', async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account, { to: Array.from({ length: 200 }, () => '15005550100') });
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimMessages(test.deps.pool, ids, new Date())));
    const claimedIds = claims.flat().map(({ id }) => id);
    expect(claimedIds).toHaveLength(200);
    expect(new Set(claimedIds).size).toBe(200);
  });

  it('renewed leases are left alone, and expired ones are taken over as a new attempt', async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account);
    const leasedMessages = await claimMessages(test.deps.pool, ids, new Date());
    const leave = (seconds: number) =>
      test.deps.pool.query("UPDATE messages SET lease_until = now() + $2 * interval '1 second' WHERE id = $1", [
        ids[0],
        seconds,
      ]);
    await leave(1);
    expect(await renewLeases(test.deps.pool, leasedMessages)).toEqual(new Set(ids));
    const { rows } = await test.deps.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS left FROM messages WHERE id = $1',
      [ids[0]],
    );
    expect(rows[0]?.left).toBeGreaterThan(25);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toEqual([]);

    await leave(-1);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toMatchObject([{ attempt: 2 }]);
    expect(await renewLeases(test.deps.pool, leasedMessages)).toEqual(new Set());
  });

  it("a lease from before PostgreSQL's clock stepped back stays with its owner, who renews it", async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account);
    const leasedMessages = await claimMessages(test.deps.pool, ids, new Date());
    // Simulates a clock that was set back by an hour, which makes the lease end an hour later.
    await test.deps.pool.query("UPDATE messages SET lease_until = lease_until + interval '1 hour' WHERE id = $1", [
      ids[0],
    ]);
    expect(await claimMessages(test.deps.pool, ids, new Date())).toEqual([]);
    expect(await renewLeases(test.deps.pool, leasedMessages)).toEqual(new Set(ids));
    const { rows } = await test.deps.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - now())::float AS left FROM messages WHERE id = $1',
      [ids[0]],
    );
    // The limit is above 30 seconds, because two connections may see times that differ by microseconds.
    expect(rows[0]?.left).toBeLessThan(31);
  });

  it('only due messages without an owner are claimed', async () => {
    const account = await createTestAccount(test.deps);
    const to = Array.from({ length: 6 }, () => '15005550100');
    const ids = await accept(test.deps, account, { to });
    const [due, delivered, scheduled, held, overdue] = ids as [string, string, string, string, string];
    const setColumns = (id: string, columns: string) =>
      test.deps.pool.query(`UPDATE messages SET ${columns} WHERE id = $1`, [id]);
    await setColumns(delivered, "status = 'delivered'");
    await setColumns(scheduled, "not_before = now() + interval '1 hour'");
    await setColumns(held, "status = 'sending', lease_until = now() + interval '1 minute'");
    await setColumns(overdue, "not_before = now() - interval '1 second'");
    const claimedMessages = await claimMessages(test.deps.pool, ids.slice(0, 5), new Date());
    expect(claimedMessages.map(({ id }) => id).sort()).toEqual([due, overdue].sort());
  });

  it('a message with an expired lease counts as maybe accepted and is no longer canceled', async () => {
    const account = await createTestAccount(test.deps);
    const [id] = (await accept(test.deps, account)) as [string];
    const firstDate = new Date('2027-01-15T12:00:00.000Z');
    const findMessage = () => test.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    await test.deps.prisma.message.update({ where: { id }, data: { cancelReason: 'Stopped.' } });
    expect(await claimMessages(test.deps.pool, [id], firstDate)).toMatchObject([{ cancelReason: 'Stopped.' }]);
    expect(await findMessage()).toMatchObject({ maybeAccepted: false, sendingAt: firstDate });
    await test.deps.pool.query("UPDATE messages SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await claimMessages(test.deps.pool, [id], new Date())).toMatchObject([{ attempt: 2, cancelReason: null }]);
    expect(await findMessage()).toMatchObject({ maybeAccepted: true, sendingAt: firstDate });
  });

  it('retries follow after 1, 2, 4 … 300 seconds, ±20 %', () => {
    const pickMiddle = () => 0.5;
    expect([1, 2, 3, 4, 9, 10, 500].map((attempt) => retryDelayMs(attempt, pickMiddle))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(1, () => 0)).toBe(800);
    expect(retryDelayMs(1, () => 0.999999)).toBe(1_200);
  });
});
