import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGroup } from '../../../src/features/contacts/groups/groups.js';
import { listContactPage, listContacts, type SearchLimits } from '../../../src/features/contacts/search/list.js';
import {
  buildSearchFromQuery,
  buildSearchQuery,
  COLLECT_SETTINGS,
  type ContactFilter,
  type Query,
} from '../../../src/features/contacts/search/list-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const ROWS = 6_000;
/** Limits below the real ones, so that the tests need thousands of contacts instead of a million. */
const LIMITS: SearchLimits = {
  maxReadCompletely: 500,
  maxCollected: 600,
  maxCounted: 2_000,
  maxWalked: 500,
  sampleRows: 3_000,
};

const store = suiteStore();
let channel: TestChannel;
let sibling: TestChannel;
let groupId: string;

beforeAll(async () => {
  channel = await createTestChannel(store);
  sibling = await createTestChannel(store, channel.account);
  for (const { account, channelId } of [channel, sibling]) {
    // Only the oldest third has the tag "old"; every 200th contact is rare, and every third one has no tags and values.
    await store.pool.query(
      `INSERT INTO contacts (id, account_id, channel_id, phone, name, tags, fields)
       SELECT (lpad(to_hex(1760000000000 + g * 100), 12, '0') || '7' || substr(md5(g || $2), 1, 3) || 'a' || substr(md5(g || $2), 4, 15))::uuid,
         $1::uuid, $2::uuid, '4915' || lpad(g::text, 8, '0'), 'Person ' || g,
         CASE WHEN g % 3 > 0 THEN array_remove(ARRAY['all', CASE WHEN g <= $3::int / 3 THEN 'old' END,
           CASE WHEN g % 200 = 1 THEN 'rare' END], NULL) END,
         CASE WHEN g % 3 > 0 THEN jsonb_build_object('plan', CASE WHEN g % 4 = 0 THEN 'pro' ELSE 'basic' END,
           'seats', g % 1000, 'active', g % 2 = 0) END
       FROM generate_series(1, $3::int) g`,
      [account.id, channelId, ROWS],
    );
    await store.prisma.channel.update({ where: { id: channelId }, data: { contactCount: ROWS } });
  }
  const scope = { accountId: channel.account.id, channelId: channel.channelId };
  groupId = (await createGroup(store, { ...scope, name: 'Half', description: '', at: new Date() })).id;
  await store.pool.query(
    `WITH added AS (
       INSERT INTO group_members SELECT $1, id FROM contacts WHERE channel_id = $2 AND right(phone, 1) < '5' RETURNING 1
     ) UPDATE contact_groups SET contact_count = (SELECT count(*) FROM added) WHERE id = $1`,
    [groupId, channel.channelId],
  );
  await store.pool.query('VACUUM ANALYZE contacts');
});

type Marks = Omit<ContactFilter, 'channelId'>;

const FILTERS: [string, Marks][] = [
  ['nobody', { tags: ['unused'] }],
  ['a rare tag', { tags: ['rare'] }],
  ['a tag of most contacts', { tags: ['all'] }],
  ['a tag of old contacts only', { tags: ['old'] }],
  ['two tags', { tags: ['old', 'rare'] }],
  ['a value of many', { fields: { plan: 'basic' } }],
  ['a value of few', { fields: { seats: 17 } }],
  ['two values', { fields: { plan: 'pro', active: true } }],
  ['a tag and a value', { tags: ['old'], fields: { plan: 'pro' } }],
  ['a tag and a search', { tags: ['all'], term: 'Person 12' }],
  ['a tag and a short search', { tags: ['rare'], term: '12' }],
  ['a value and a search of few', { fields: { plan: 'basic' }, term: 'son 599' }],
];

async function findExpected({ tags, fields, term }: Marks, group: string | null): Promise<string[]> {
  const { rows } = await store.pool.query<{ id: string }>(
    `SELECT id FROM contacts c WHERE channel_id = $1 AND ($2::text[] IS NULL OR tags @> $2) AND ($3::jsonb IS NULL OR fields @> $3)
       AND ($4::text IS NULL OR position(lower($4) IN search) > 0)
       AND ($5::uuid IS NULL OR EXISTS (SELECT FROM group_members m WHERE m.group_id = $5 AND m.contact_id = c.id))
     ORDER BY id DESC`,
    [channel.channelId, tags ?? null, fields ? JSON.stringify(fields) : null, term ?? null, group],
  );
  return rows.map(({ id }) => id);
}

describe('a list of contacts with tags and values', () => {
  describe.each(FILTERS)('%s', (_, marks) => {
    it.each([
      [50, 0, false],
      [7, 100, false],
      [1000, 0, false],
      [50, 0, true],
    ])('has the right contacts and total (limit %i, offset %i, group %s)', async (limit, offset, inGroup) => {
      const group = inGroup ? groupId : null;
      const filter = { channelId: channel.channelId, ...marks, groupId: group ?? undefined };
      const list = await listContacts(store, filter, { limit, offset }, LIMITS);
      const expected = await findExpected(marks, group);
      expect(list.contacts.map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit));
      if (list.estimated) {
        expect(expected.length).toBeGreaterThan(LIMITS.maxCollected / 2);
        expect(Math.abs(list.total - expected.length) / expected.length).toBeLessThan(0.2);
      } else {
        expect(list.total).toBe(expected.length);
      }
    });
  });

  it('pages by key contain every contact once', async () => {
    const filter = { channelId: channel.channelId, tags: ['old'] };
    const ids: string[] = [];
    let before: string | null = null;
    do {
      const page = await listContactPage(store, filter, { limit: 333, before });
      ids.push(...page.contacts.map(({ id }) => id));
      before = page.next;
    } while (before !== null);
    expect(ids).toEqual(await findExpected({ tags: ['old'] }, null));
  });
});

describe('query plans of a filter', () => {
  const page = { limit: 50, offset: 0 };

  async function explain({ text, values }: Query): Promise<string> {
    return await inTransaction(store.pool, async (client: pg.PoolClient) => {
      await client.query(COLLECT_SETTINGS);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS OFF) ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  }

  it.each<[string, Marks]>([
    ['tags', { tags: ['rare'] }],
    ['values', { fields: { seats: 17 } }],
    ['tags and values', { tags: ['rare'], fields: { plan: 'basic' } }],
  ])('the index of tags and values is used for %s', async (_, marks) => {
    const plan = await explain(buildSearchQuery({ channelId: channel.channelId, ...marks }, page));
    expect(plan).toContain('Bitmap Index Scan on contacts_marks_idx');
    expect(plan).not.toMatch(/Seq Scan|on contacts_channel_id/);
  });

  it('the index finds no contacts of other channels', async () => {
    const plan = await explain(buildSearchQuery({ channelId: channel.channelId, tags: ['rare'] }, page));
    const rowCount = /Bitmap Index Scan on contacts_marks_idx .*actual time=\S+ rows=(\d+)/.exec(plan)?.[1];
    expect(Number(rowCount)).toBe((await findExpected({ tags: ['rare'] }, null)).length);
  });

  it('the newest of old matches are found without reading newer contacts', async () => {
    const expected = await findExpected({ tags: ['old'] }, null);
    const filter = { channelId: channel.channelId, tags: ['old'] };
    const plan = await explain(buildSearchFromQuery(filter, expected[99] as string, page));
    expect(plan).toContain('Bitmap Index Scan on contacts_marks_idx');
    expect(plan).toContain('Bitmap Index Scan on contacts_search_idx');
  });
});
