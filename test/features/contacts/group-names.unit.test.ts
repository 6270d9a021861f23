import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findOrCreateGroup, requireGroup } from '../../../src/features/contacts/groups/group-by-name.js';
import { createGroup, updateGroup } from '../../../src/features/contacts/groups/groups.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const readMigration = (name: string) =>
  readFileSync(new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8');
const store = suiteStore();

it('the migration keeps groups whose names differ only by case, and the oldest keeps the name', async () => {
  const [one, two] = [await createTestChannel(store), await createTestChannel(store)];
  const client = await store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DROP INDEX contact_groups_folded_name_key');
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
    await client.query(readMigration('20261122100503_group_names'));
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

it('the next migration keeps groups whose names look the same', async () => {
  const { account, channelId } = await createTestChannel(store);
  const client = await store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      'DROP INDEX contact_groups_folded_name_key; DROP FUNCTION fold_name CASCADE; DROP FUNCTION fold_letters CASCADE',
    );
    await client.query(`CREATE UNIQUE INDEX contact_groups_lower_name_key ON contact_groups (channel_id, lower(name))
                        WHERE NOT shares_name`);
    const names = ['λόγος', 'ΛΌΓΟΣ', 'Café', 'Cafe\u0301', ' Café', 'VIP\u00A0 guests', 'vip guests', 'VIPguests'];
    for (const [index, name] of names.entries()) {
      const values = [newId(), account.id, channelId, name, index === 1];
      await client.query(
        'INSERT INTO contact_groups (id, account_id, channel_id, name, shares_name) VALUES ($1, $2, $3, $4, $5)',
        values,
      );
    }
    await client.query(readMigration('20261122140001_group_names_alike'));
    const { rows } = await client.query(
      'SELECT name FROM contact_groups WHERE channel_id = $1 AND NOT shares_name ORDER BY id',
      [channelId],
    );
    expect(rows.map((row) => row.name)).toEqual(['λόγος', 'Café', 'VIP\u00A0 guests', 'VIPguests']);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

async function addGroup() {
  const { account, channelId } = await createTestChannel(store);
  return { accountId: account.id, channelId, description: '', at: new Date() };
}

it.each([
  ['ΛΌΓΟΣ', 'λόγος'],
  ['Café', 'Cafe\u0301'],
  ['Customers', ' Customers  '],
  ['Big spenders', 'Big   spenders'],
  ['Big spenders', 'big\u00A0spenders'],
  ['Guests', 'Gu\u00ADests\u200B'],
])('group names %j and %j count as the same', async (firstName, secondName) => {
  const group = await addGroup();
  const { id } = await createGroup(store, { ...group, name: firstName });
  await expect(createGroup(store, { ...group, name: secondName })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await requireGroup(store.prisma, group.channelId, secondName)).toBe(id);
  expect(await updateGroup(store, group, id, { name: secondName, at: new Date() })).toMatchObject({ name: secondName });
});

it.each([
  ['Resume', 'Résumé'],
  ['Big spenders', 'Bigspenders'],
  ['Team 2', 'Team ²'],
])('group names %j and %j count as different', async (firstName, secondName) => {
  const group = await addGroup();
  await createGroup(store, { ...group, name: firstName });
  await createGroup(store, { ...group, name: secondName });
});

it('a group is found by its exact name first, then in another case', async () => {
  const { account, channelId } = await createTestChannel(store);
  const scope = { accountId: account.id, channelId };
  const id = await findOrCreateGroup(store, scope, 'Big_Spenders', systemClock.now());
  expect(await findOrCreateGroup(store, scope, 'big_spenders', systemClock.now())).toBe(id);
  expect(await requireGroup(store.prisma, channelId, 'BIG_SPENDERS')).toBe(id);
  await expect(requireGroup(store.prisma, channelId, 'Big Spenders')).rejects.toThrow('no group');
});
