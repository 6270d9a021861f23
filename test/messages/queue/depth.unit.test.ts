import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLaneDepths, readQueueDepth, readQueueDepths } from '../../../src/messages/queue/depth-store.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';

const CUSTOMER = '01920000-0000-7000-8000-0000000000c1';
const OTHER = '01920000-0000-7000-8000-0000000000c2';

interface Stored {
  accountId: string;
  priority: number;
  count: number;
  /** `nextLook` and `ahead` are SQL intervals from now to the next look and to the scheduled time. */
  nextLook: string;
  ahead?: string;
}

describe('the size of the queue', () => {
  let store: TestStore;
  const add = ({ accountId, priority, count, nextLook, ahead }: Stored) =>
    store.pool.query(
      `INSERT INTO messages (id, account_id, created_at, scheduled_at, not_before, next_look, valid_until, price_micros, surface, kind,
         status, priority, parts, carrier, sender, recipient, body)
       SELECT gen_random_uuid(), $1, now() - interval '1 hour', now() + $5::interval, now() + $5::interval, now() + $4::interval,
         now() + interval '3 days', 10000, 'a', 'sms', 'queued', $2, 1, 'simulator', 'Acme', '15005550111', 'Hello'
       FROM generate_series(1, $3)`,
      [accountId, priority, count, nextLook, ahead ?? null],
    );
  const acceptScheduled = (priority: number) =>
    add({ accountId: OTHER, priority, count: 20_000, nextLook: '1 day', ahead: '1 day' });

  beforeAll(async () => {
    store = await openTestStore();
    await acceptScheduled(0);
    await acceptScheduled(2);
    // The relay checks waiting messages at least every ten minutes.
    await add({ accountId: CUSTOMER, priority: 3, count: 500, nextLook: '10 minutes' });
    await add({ accountId: CUSTOMER, priority: 1, count: 2, nextLook: '9 minutes' });
    await add({ accountId: CUSTOMER, priority: 0, count: 1, nextLook: '8 minutes' });
  });
  afterAll(() => store.close());

  const acceptHourAgo = async () => {
    const { rows } = await store.pool.query('SELECT min(created_at) AS at FROM messages WHERE scheduled_at IS NULL');
    return rows[0].at as Date;
  };

  it('waiting messages behind many scheduled ones are counted, for each account', async () => {
    const oldestAt = await acceptHourAgo();
    const expectedDepth = { waiting: 503, oldestAt, isPartial: false };
    expect(await readQueueDepth(store.pool, CUSTOMER)).toEqual(expectedDepth);
    expect(await readQueueDepth(store.pool, OTHER)).toEqual({ waiting: 0, oldestAt: null, isPartial: false });
    expect(await readQueueDepths(store.pool)).toEqual({
      all: expectedDepth,
      accounts: [{ accountId: CUSTOMER, waiting: 503, oldestAt }],
    });
  });

  it('waiting messages are counted per lane', async () => {
    expect(await readLaneDepths(store.pool)).toMatchObject([
      { lane: 'urgent', waiting: 500, oldestMs: expect.closeTo(3_600_000, -5) },
      { lane: 'bulk', waiting: 3 },
    ]);
  });

  it('the count is marked partial if too many messages are due for a look within an hour', async () => {
    await add({ accountId: OTHER, priority: 1, count: 20_000, nextLook: '1 minute' });
    expect(await readQueueDepth(store.pool, OTHER)).toMatchObject({ waiting: 20_000, isPartial: true });
    // The count is partial, because the customer's messages of priority 1 come after the other account's messages.
    expect(await readQueueDepth(store.pool, CUSTOMER)).toMatchObject({ waiting: 501, isPartial: true });
    expect((await readQueueDepths(store.pool)).all).toMatchObject({ waiting: 20_501, isPartial: true });
  });
});
