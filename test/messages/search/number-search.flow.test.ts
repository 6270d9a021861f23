import { beforeAll, describe, expect, it } from 'vitest';
import { listMessages } from '../../../src/messages/search/list-messages.js';
import { createAccountFilter, type MessageFilter } from '../../../src/messages/search/list-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp();
const NUMBER = '14155550123';
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

interface Row {
  account: string;
  /** Days before NOW. */
  daysAgo: number;
  to?: string;
  status?: string;
  waits?: boolean;
}

let account: string;
let otherAccountId: string;

async function store(rows: readonly Row[]): Promise<string[]> {
  const ids = rows.map(({ daysAgo }) => createId(NOW - daysAgo * DAY_MS));
  await heliograph.deps.pool.query(
    `INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority,
                           parts, carrier, sender, recipient, body)
     SELECT id, account, at, at + interval '2 days', CASE WHEN waits THEN now() + interval '1 hour' END, 0, 'a', 'sms',
            status, 0, 1, 'simulator', 'x', recipient, 'x'
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::message_status[], $6::boolean[])
       AS r(id, account, at, recipient, status, waits)`,
    [
      ids,
      rows.map((row) => row.account),
      rows.map(({ daysAgo }) => new Date(NOW - daysAgo * DAY_MS).toISOString()),
      rows.map(({ to = NUMBER }) => to),
      rows.map(({ status = 'delivered' }) => status),
      rows.map(({ waits = false }) => waits),
    ],
  );
  return ids;
}

function createId(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${newId().slice(14)}`;
}

const buildFilter = (filter: Partial<MessageFilter>): MessageFilter => ({
  ...createAccountFilter(account),
  recipient: NUMBER,
  ...filter,
});

const findPage = (filter: Partial<MessageFilter> = {}, cursor: string | null = null, limit = 50) =>
  listMessages(heliograph.deps, buildFilter(filter), { before: cursor, limit });
const findIds = async (filter: Partial<MessageFilter>) => (await findPage(filter)).messages.map(({ id }) => id);

beforeAll(async () => {
  account = (await createTestAccount(heliograph.deps)).id;
  otherAccountId = (await createTestAccount(heliograph.deps)).id;
});

describe('searching messages by number', () => {
  it('a search by number finds open and final messages of this account only, newest first', async () => {
    const [old, , waiting, settled, , newest] = await store([
      { account, daysAgo: 29 },
      { account: otherAccountId, daysAgo: 28 },
      { account, daysAgo: 3, status: 'sent', waits: true },
      { account, daysAgo: 2, status: 'failed' },
      { account, daysAgo: 1, to: '14155550124' },
      { account, daysAgo: 0, status: 'queued', waits: true },
    ]);
    expect(await findIds({})).toEqual([newest, settled, waiting, old]);
    expect(await findIds({ status: 'failed' })).toEqual([settled]);
    expect(await findIds({ status: 'sent' })).toEqual([waiting]);
    expect(await findIds({ createdFrom: new Date(NOW - 3 * DAY_MS) })).toEqual([newest, settled, waiting]);
    expect(await findIds({ createdTo: new Date(NOW - 2 * DAY_MS) })).toEqual([waiting, old]);
    expect(await findIds({ recipient: '14155550100' })).toEqual([]);
  });

  it('a search by the first or last digits finds the messages too', async () => {
    expect(await findIds({ recipient: null, recipientStart: '1415555012' })).toHaveLength(5);
    expect(await findIds({ recipient: null, recipientEnd: '0124' })).toHaveLength(1);
    expect(await findIds({ recipient: null, recipientEnd: '9' })).toHaveLength(0);
  });

  it('a search by number returns pages by ID with each message once', async () => {
    const number = '14155550200';
    const rows = Array.from({ length: 23 }, (_, index) => ({
      account,
      daysAgo: 23 - index,
      to: number,
      waits: index % 3 === 0,
    }));
    const ids = (await store(rows)).toReversed();
    const foundIds: string[] = [];
    let nextCursor: string | null = null;
    do {
      const nextPage = await findPage({ recipient: number }, nextCursor, 5);
      foundIds.push(...nextPage.messages.map(({ id }) => id));
      nextCursor = nextPage.next;
    } while (nextCursor !== null);
    expect(foundIds).toEqual(ids);
  });

  it('a search by number works if more messages are open than one person can have', async () => {
    const number = '14155550300';
    const rows = Array.from({ length: 2_100 }, (_, index) => ({
      account,
      daysAgo: (2_100 - index) / 10_000,
      to: number,
      waits: true,
    }));
    const ids = (await store(rows)).toReversed();
    // After the time of its last ledger line, an account has no messages.
    await heliograph.deps.pool.query(
      `INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, created_at)
       VALUES ($1, $2, 'charge', -1, 1, now())`,
      [newId(), account],
    );
    expect((await findPage({ recipient: number }, null, 10)).messages.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  });

  it('a search by number reads few pages however many messages there are', async () => {
    const number = '14155550400';
    for (let from = 1; from <= 60_000; from += 10_000) {
      await heliograph.deps.pool.query(
        `INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority,
                               parts, carrier, sender, recipient, body)
         SELECT (lpad(to_hex(($2::bigint - n * 4000::bigint)), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
                 substr(md5(n::text), 4, 15))::uuid, $1, now(), now(), CASE WHEN n % 50 = 0 THEN now() END, 0, 'a', 'sms',
                'delivered', 0, 1, 'simulator', 'x', '1415666' || lpad(n::text, 5, '0'), 'x' FROM generate_series($3::int, $3::int + 9999) n`,
        [account, NOW, from],
      );
    }
    const [id] = await store([{ account, daysAgo: 2, to: number }]);
    const createdFrom = new Date(NOW - 2.5 * DAY_MS);
    let pages = 0;
    const { pool } = heliograph.deps;
    // ANALYZE makes the query plan independent of autovacuum.
    await pool.query('ANALYZE messages');
    const explainingReads = {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
        const { Plan: root } = rows[0]['QUERY PLAN'][0];
        pages += root['Shared Hit Blocks'] + root['Shared Read Blocks'];
        return await pool.query(text, values);
      },
    } as unknown as typeof pool;
    const { messages } = await listMessages(
      { ...heliograph.deps, pool: explainingReads },
      buildFilter({ recipient: number, createdFrom }),
      {
        before: null,
        limit: 50,
      },
    );
    expect(messages.map((message) => message.id)).toEqual([id]);
    // The search reads three or four pages for each of 52 periods of 70 minutes, while the table has more than 2,000 pages.
    expect(pages).toBeLessThan(400);
  });
});
