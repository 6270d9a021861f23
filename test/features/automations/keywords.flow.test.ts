import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { insertKeywordRun } from '../../../src/features/automations/start-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const MIGRATION = new URL('../../../prisma/migrations/20261122160001_keyword_folding/migration.sql', import.meta.url);
const store = suiteStore();

it('automations whose keywords became equal survive the migration, and each starts for its own spelling', async () => {
  const { account, channelId } = await createTestChannel(store);
  const scope = { accountId: account.id, channelId };
  const contactId = newId();
  await store.prisma.contact.create({ data: { id: contactId, ...scope, phone: '4915112345678' } });
  const client = await store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DROP INDEX automations_keyword_key');
    await client.query('ALTER TABLE automations DROP COLUMN shares_keyword');
    await client.query('DROP FUNCTION keyword_key');
    await client.query(
      'CREATE UNIQUE INDEX automations_keyword_key ON automations (channel_id, lower(keyword)) WHERE keyword IS NOT NULL',
    );
    const keywords = ['ΛΌΓΟΣ', 'λόγος', 'cafe', null, null];
    for (const keyword of keywords) {
      await client.query(
        'INSERT INTO automations (id, account_id, channel_id, name, steps, keyword) VALUES ($1, $2, $3, $4, $5, $6)',
        [newId(), account.id, channelId, String(keyword), '[]', keyword],
      );
    }
    await client.query(readFileSync(MIGRATION, 'utf8'));
    const { rows } = await client.query('SELECT keyword, shares_keyword FROM automations ORDER BY id');
    expect(rows.map((row) => row.keyword)).toEqual(keywords);
    expect(rows.map((row) => row.shares_keyword)).toEqual([false, true, false, false, false]);

    const startByKeyword = async (keyword: string) => {
      const run = { id: newId(), ...scope, contactId, keyword, variable: { name: 'message', value: keyword } };
      await insertKeywordRun(client, { ...run, now: new Date() });
      const startedRuns = await client.query(
        'SELECT a.keyword FROM automation_runs r JOIN automations a ON a.id = r.automation_id WHERE r.id = $1',
        [run.id],
      );
      await client.query('DELETE FROM automation_runs WHERE id = $1', [run.id]);
      return startedRuns.rows.map((row) => row.keyword);
    };
    expect(await startByKeyword('λόγος')).toEqual(['λόγος']);
    expect(await startByKeyword('ΛΌΓΟΣ')).toEqual(['ΛΌΓΟΣ']);
    // A third spelling of the keyword starts the oldest automation.
    expect(await startByKeyword('λόγος'.normalize('NFD'))).toEqual(['ΛΌΓΟΣ']);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
