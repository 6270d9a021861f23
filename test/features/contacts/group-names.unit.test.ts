import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findOrCreateGroup, requireGroup } from '../../../src/features/contacts/groups/group-by-name.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/suite.js';

const MIGRATION = new URL('../../../prisma/migrations/20261122100503_group_names/migration.sql', import.meta.url);
const store = suiteStore();

it('groups whose names differ by case alone outlive the migration; the oldest keeps the name to itself', async () => {
  const [one, two] = [await createTestChannel(store), await createTestChannel(store)];
  const client = await store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DROP INDEX contact_groups_lower_name_key');
    await client.query('ALTER TABLE contact_groups DROP COLUMN shares_name');
    for (const [{ account, channelId }, names] of [
      [one, ['Customers', 'customers', 'CUSTOMERS', 'Friends']],
      [two, ['customers']],
    ] as const) {
      for (const name of names) {
        await client.query('INSERT INTO contact_groups (id, account_id, channel_id, name) VALUES ($1, $2, $3, $4)', [
          newId(),
          account.id,
          channelId,
          name,
        ]);
      }
    }
    await client.query(readFileSync(MIGRATION, 'utf8'));
    const { rows } = await client.query(
      'SELECT name, shares_name FROM contact_groups WHERE channel_id = ANY($1::uuid[]) ORDER BY channel_id = $2 DESC, id',
      [[one.channelId, two.channelId], one.channelId],
    );
    expect(rows.map((row) => [row.name, row.shares_name])).toEqual([
      ['Customers', false],
      ['customers', true],
      ['CUSTOMERS', true],
      ['Friends', false],
      ['customers', false],
    ]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('a group is found by its name, or else by one in another case', async () => {
  const { account, channelId } = await createTestChannel(store);
  const scope = { accountId: account.id, channelId };
  const id = await findOrCreateGroup(store, scope, 'Big_Spenders');
  expect(await findOrCreateGroup(store, scope, 'big_spenders')).toBe(id);
  expect(await requireGroup(store.prisma, channelId, 'BIG_SPENDERS')).toBe(id);
  await expect(requireGroup(store.prisma, channelId, 'Big Spenders')).rejects.toThrow('no group');
});
