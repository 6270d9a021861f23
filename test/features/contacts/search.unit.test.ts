import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGroup } from '../../../src/features/contacts/groups/groups.js';
import { listContacts, type SearchLimits } from '../../../src/features/contacts/search/list.js';
import {
  buildSearchFromQuery,
  buildSearchQuery,
  buildWalkQuery,
  COLLECT_SETTINGS,
  type Query,
  WALK_SETTINGS,
} from '../../../src/features/contacts/search/list-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const ROWS = 12_000;
/** Limits below the real ones, so that the tests need thousands of contacts instead of a million. */
const LIMITS: SearchLimits = {
  maxReadCompletely: 500,
  maxCollected: 600,
  maxCounted: 3_000,
  maxWalked: 500,
  sampleRows: 6_000,
};

const store = suiteStore();
let channel: TestChannel;
let smallChannel: TestChannel;
let groupId: string;

beforeAll(async () => {
  [smallChannel, channel] = [await createTestChannel(store), await createTestChannel(store)];
  for (const [{ account, channelId }, rows] of [
    [smallChannel, 2_000],
    [channel, ROWS],
  ] as const) {
    // The first third of the contacts has a different e-mail domain, and every fortieth name is Cyrillic.
    await store.pool.query(
      `INSERT INTO contacts (id, account_id, channel_id, phone, name, email)
       SELECT (lpad(to_hex(1760000000000 + g * 100), 12, '0') || '7' || substr(md5(g || $2), 1, 3) || 'a' || substr(md5(g || $2), 4, 15))::uuid,
         $1::uuid, $2::uuid, '4915' || lpad((g * 7919 % 100003)::text, 8, '0'),
         CASE WHEN g % 40 = 0 THEN 'Ирина ' ELSE 'Person ' END || g,
         'p' || g || CASE WHEN g <= $3::int / 3 THEN '@old.example' ELSE '@new.example' END
       FROM generate_series(1, $3::int) g`,
      [account.id, channelId, rows],
    );
    await store.prisma.channel.update({ where: { id: channelId }, data: { contactCount: rows } });
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

async function findExpected(channelId: string, term: string, limit: number, offset: number, group: string | null) {
  const matching = `FROM contacts c WHERE channel_id = $1 AND position(lower($2) IN search) > 0 AND
    ($3::uuid IS NULL OR EXISTS (SELECT FROM group_members m WHERE m.group_id = $3 AND m.contact_id = c.id))`;
  const page = await store.pool.query<{ id: string }>(`SELECT id ${matching} ORDER BY id DESC LIMIT $4 OFFSET $5`, [
    channelId,
    term,
    group,
    limit,
    offset,
  ]);
  const count = await store.pool.query<{ total: number }>(`SELECT count(*)::int AS total ${matching}`, [
    channelId,
    term,
    group,
  ]);
  return { ids: page.rows.map((row) => row.id), total: count.rows[0]?.total as number };
}

const TERMS: [string, string][] = [
  ['nobody', 'qqq'],
  ['one, by number', '491500007919'],
  ['few', 'son 1199'],
  ['some, in another alphabet', 'ирина'],
  ['all', 'example'],
  ['the older third', '@OLD.'],
  ['the newer ones', '@new.'],
  ['the oldest hundred', 'p1@old'],
  ['two characters of many', '91'],
  ['two characters of nobody', 'q7'],
  ['what LIKE would take for a pattern', 'p_@%'],
];

describe('listContacts', () => {
  for (const [what, term] of TERMS) {
    it.each([
      [50, 0, false],
      [7, 100, false],
      [1000, 0, false],
      [50, 0, true],
    ])(`a contact search finds ${what} (limit %i, offset %i, group %s)`, async (limit, offset, inGroup) => {
      const group = inGroup ? groupId : null;
      for (const { channelId } of inGroup ? [channel] : [channel, smallChannel]) {
        const filter = { channelId, term, groupId: group ?? undefined };
        const list = await listContacts(store, filter, { limit, offset }, LIMITS);
        const { ids, total } = await findExpected(channelId, term, limit, offset, group);
        expect(list.contacts.map((contact) => contact.id)).toEqual(ids);
        if (list.estimated) {
          expect(total).toBeGreaterThan(LIMITS.maxCollected / 2);
          expect(Math.abs(list.total - total) / total).toBeLessThan(0.2);
        } else {
          expect(list.total).toBe(total);
        }
      }
    });
  }

  it.each(
    Object.entries({
      'a final sigma by a capital one': ['Νίκος Α', 'ΝΊΚΟΣ'],
      'a capital sigma by a final one': ['ΝΊΚΟΣ Β', 'νίκος'],
      'a sigma in a word by a term that ends in it': ['Σταύροσα', 'σταύρος'],
      'a composed letter by a decomposed one': ['Ren\u00e9e Q', 'RENE\u0301E'],
      'a decomposed letter by a composed one': ['Rene\u0301e W', 'ren\u00e9e w'],
    }),
  )('a contact search finds %s', async (_case, [name, term]) => {
    const listNames = (list: { contacts: { name: string }[] }) => list.contacts.map((contact) => contact.name);
    for (const { account, channelId } of [channel, smallChannel]) {
      await store.pool.query(
        `INSERT INTO contacts (id, account_id, channel_id, phone, name) VALUES (new_id(), $1, $2, '19990001', $3)`,
        [account.id, channelId, name],
      );
      const list = await listContacts(store, { channelId, term }, { limit: 50, offset: 0 }, LIMITS);
      expect(listNames(list)).toContain(name);
      expect(list.total).toBe(list.contacts.length);
      await store.pool.query('DELETE FROM contacts WHERE channel_id = $1 AND name = $2', [channelId, name]);
    }
  });

  it.each(['+49 1500', '49 15 00 00-79', '(4915) 000'])(
    'a contact search finds the same numbers by %s as by their digits',
    async (writtenTerm) => {
      const list = (term: string) =>
        listContacts(store, { channelId: channel.channelId, term }, { limit: 50, offset: 0 }, LIMITS);
      const byDigits = await list(writtenTerm.replace(/\D/g, ''));
      expect(byDigits.total).toBeGreaterThan(0);
      expect(await list(writtenTerm)).toEqual(byDigits);
    },
  );

  it('a contact search matches a leading plus sign with the start of a number', async () => {
    const list = (term: string) =>
      listContacts(store, { channelId: channel.channelId, term }, { limit: 5, offset: 0 }, LIMITS);
    expect((await list('915')).total).toBeGreaterThan(0);
    expect((await list('+915')).total).toBe(0);
  });

  it('a contact search estimates the total only for many matches in a large channel', async () => {
    const estimate = async ({ channelId }: TestChannel, term: string) =>
      (await listContacts(store, { channelId, term }, { limit: 5, offset: 0 }, LIMITS)).estimated;
    expect(await estimate(channel, 'example')).toBe(true);
    expect(await estimate(channel, 'ирина')).toBe(false);
    expect(await estimate(smallChannel, 'example')).toBe(false);
  });

  it('a client that pages up to an estimated total gets every contact', async () => {
    const filter = { channelId: channel.channelId, term: 'example' };
    const limit = 1_000;
    const seenIds = new Set<string>();
    for (let [offset, total] = [0, 1]; offset < total; offset += limit) {
      const list = await listContacts(store, filter, { limit, offset }, LIMITS);
      expect(list.estimated).toBe(true);
      if (list.contacts.length === limit) expect(list.total).toBeGreaterThan(offset + limit);
      for (const { id } of list.contacts) seenIds.add(id);
      total = list.total;
    }
    expect(seenIds.size).toBe(ROWS);
  });

  it('a contact search returns the same total on every page', async () => {
    const totals = await Promise.all(
      [0, 50, 400].map(async (offset) => {
        const filter = { channelId: channel.channelId, term: '@new.' };
        return (await listContacts(store, filter, { limit: 50, offset }, LIMITS)).total;
      }),
    );
    expect(new Set(totals).size).toBe(1);
  });
});

describe('query plans of a search', () => {
  const page = { limit: 50, offset: 0 };

  async function explain(setting: string, { text, values }: Query): Promise<string> {
    return await inTransaction(store.pool, async (client: pg.PoolClient) => {
      await client.query(setting);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS OFF) ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  }

  it.each([['qqq'], ['ирина'], ['example']])('query plans of a search use the trigram index for %s', async (term) => {
    const plan = await explain(COLLECT_SETTINGS, buildSearchQuery({ channelId: channel.channelId, term }, page));
    expect(plan).toContain('Bitmap Index Scan on contacts_search_idx');
    expect(plan).not.toMatch(/Seq Scan|on contacts_channel_id/);
  });

  it('query plans of a search find the newest of old matches without reading newer contacts', async () => {
    const { rows } = await store.pool.query<{ id: string }>(
      `SELECT id FROM contacts WHERE channel_id = $1 AND search LIKE '%@old.%' ORDER BY id DESC LIMIT 1 OFFSET 99`,
      [channel.channelId],
    );
    const filter = { channelId: channel.channelId, term: '@old.' };
    const plan = await explain(COLLECT_SETTINGS, buildSearchFromQuery(filter, rows[0]?.id as string, page));
    const rowCount = /Bitmap Index Scan on contacts_search_idx .*actual time=\S+ rows=(\d+)/.exec(plan)?.[1];
    expect(Number(rowCount)).toBeGreaterThanOrEqual(100);
    expect(Number(rowCount)).toBeLessThan(130);
  });

  it.each([['example'], ['qqq']])(
    'query plans of a search walk the list for %s with an index-only scan',
    async (term) => {
      const plan = await explain(WALK_SETTINGS, buildWalkQuery({ channelId: channel.channelId, term }, page));
      expect(plan).toContain('Index Only Scan Backward using contacts_channel_id_id_idx');
      expect(plan).not.toContain('Seq Scan');
    },
  );
});
