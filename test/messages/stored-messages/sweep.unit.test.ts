import { beforeEach, describe, expect, it } from 'vitest';
import { sweepMessages } from '../../../src/messages/stored-messages/sweep-store.js';
import { deriveId } from '../../../src/platform/ids.js';
import { suiteStore } from '../../support/for-suite.js';
import { insertOldMessages, OLD_ACCOUNT } from '../../support/store/old-messages.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const now = new Date();
const daysAgo = (days: number, milliseconds = 0) => new Date(now.getTime() - days * DAY_MS + milliseconds);

describe('sweepMessages', () => {
  const store = suiteStore();
  beforeEach(async () => {
    await store.pool.query('DELETE FROM messages; DELETE FROM message_references; DELETE FROM fallbacks');
  });
  const sweep = async ({ days = 30, step = 3, isStopped = (): boolean => false } = {}) => {
    const deleted: Record<string, number> = {};
    await sweepMessages({
      ...{ pool: store.pool, now, step, isStopped, retentionDays: days },
      onDeleted: (table, rows) => {
        deleted[table] = (deleted[table] ?? 0) + rows;
      },
    });
    return deleted;
  };
  const listRemaining = async () =>
    (await store.pool.query<{ id: string }>('SELECT id FROM messages ORDER BY id')).rows.map(({ id }) => id);
  const createOld = (from: Date, overrides: object = {}) => insertOldMessages(store, { from, count: 1, ...overrides });

  it('final messages older than the retention are deleted, and others kept', async () => {
    await insertOldMessages(store, { from: daysAgo(31), count: 7 });
    const underWay = await insertOldMessages(store, { from: daysAgo(40), count: 2, isInTransit: true });
    const youngMessages = await createOld(daysAgo(30, 60_000));
    expect(await sweep()).toMatchObject({ messages: 7 });
    expect(await listRemaining()).toEqual([...underWay, ...youngMessages]);
  });

  it('a message is kept until its fallback SMS exists', async () => {
    const [id] = await createOld(daysAgo(31));
    await store.pool.query('INSERT INTO fallbacks (message_id) VALUES ($1)', [id]);
    await sweep();
    expect(await listRemaining()).toEqual([id]);
    await store.pool.query('UPDATE fallbacks SET next_look = NULL');
    await sweep();
    expect(await listRemaining()).toEqual([]);
  });

  it("a message's reference is deleted with it, unless another message or account has the same", async () => {
    const [deleted] = await insertOldMessages(store, { from: daysAgo(31), count: 2, reference: 'order 7' });
    const [kept] = (await insertOldMessages(store, { from: daysAgo(1), count: 2, reference: 'order 7' })).slice(-1);
    const otherId = deriveId(daysAgo(31), 'of another account');
    await store.pool.query(
      `INSERT INTO message_references (account_id, reference, message_id)
       VALUES ('01920000-0000-7000-8000-000000000002', 'order 7', $1)`,
      [otherId],
    );
    await sweep();
    const { rows } = await store.pool.query<{ message_id: string }>('SELECT message_id FROM message_references');
    const ids = rows.map(({ message_id }) => message_id);
    expect(ids).not.toContain(deleted);
    expect(ids.sort()).toEqual([kept, otherId].sort());
  });

  it('idempotency keys are deleted after 24 hours, and old receipts and carrier IDs too', async () => {
    const add = async (hours: number) => {
      const expiryTime = new Date(now.getTime() - hours * 3_600_000);
      await store.pool.query(
        `INSERT INTO idempotency_keys (account_id, key, route, body_hash, message_ids, created_at)
         VALUES ($1, $2, 'POST /test', '\\x00', '{}', $3)`,
        [OLD_ACCOUNT, `${hours}`, expiryTime],
      );
      await store.pool.query(
        `INSERT INTO carrier_references (carrier, carrier_message_id, message_id, created_at) VALUES ('x', $1, $2, $3)`,
        [`${hours}`, deriveId(expiryTime, `${hours}`), expiryTime],
      );
    };
    await store.pool.query('DELETE FROM idempotency_keys; DELETE FROM carrier_references');
    for (const hours of [23, 24, 34 * 24, 35 * 24]) await add(hours);
    await sweep();
    const keys = await store.pool.query('SELECT key FROM idempotency_keys');
    expect(keys.rows).toEqual([{ key: '23' }]);
    const references = await store.pool.query<{ id: string }>(
      'SELECT carrier_message_id AS id FROM carrier_references ORDER BY created_at',
    );
    expect(references.rows.map(({ id }) => id)).toEqual(['816', '24', '23']);
  });

  it('everything is kept with a retention of 0, and a stop takes effect between steps', async () => {
    await insertOldMessages(store, { from: daysAgo(400), count: 7 });
    await sweep({ days: 0 });
    expect(await listRemaining()).toHaveLength(7);
    await sweep({ isStopped: () => true });
    expect(await listRemaining()).toHaveLength(7);
  });
});
