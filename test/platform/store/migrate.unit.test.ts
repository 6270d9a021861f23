import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { diffSchema } from '../../../scripts/lib/schema-engine.mjs';
import { newId } from '../../../src/platform/ids.js';
import { applyMigrations, requireVersion } from '../../../src/platform/store/migrations/migrate.js';
import { readMigrations } from '../../../src/platform/store/migrations/migration-files.js';
import { openForEachTest } from '../../support/for-suite.js';
import { databaseUrl, openEmptyDatabase } from '../../support/store/databases.js';

const log = pino({ level: 'silent' });

const database = openForEachTest(openEmptyDatabase);

describe('applyMigrations', () => {
  it('brings an empty database to the state of schema.prisma, once', async () => {
    const names = (await readMigrations()).map(({ name }) => name);
    expect(await applyMigrations({ url: database.url, log })).toEqual(names);
    expect(await applyMigrations({ url: database.url, log })).toEqual([]);
    expect(await diffSchema(database.url)).toBeNull();
  });

  it('applies each migration once when several processes start at once', async () => {
    const names = (await readMigrations()).map(({ name }) => name);
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations({ url: database.url, log })));
    expect(applied.flat()).toEqual(names);
    const { rows } = await database.client.query('SELECT migration_name FROM _prisma_migrations');
    expect(rows).toHaveLength(names.length);
  });

  it('refuses an applied migration whose text has changed', async () => {
    await applyMigrations({ url: database.url, log });
    await database.client.query("UPDATE _prisma_migrations SET checksum = 'another'");
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow(/must never be edited/);
  });

  it('refuses a migration that failed before, and applies it again once it was rolled back', async () => {
    const [first] = await readMigrations();
    await applyMigrations({ url: database.url, log });
    await database.client.query("UPDATE _prisma_migrations SET finished_at = NULL, logs = 'the disk was full'");
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow(
      `${first?.name} failed before: the disk was full. Repair the database`,
    );
    await database.client.query('UPDATE _prisma_migrations SET rolled_back_at = now()');
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow(/already exists/);
  });

  it('refuses a database migrated by a later version, unless the operator allows it', async () => {
    await applyMigrations({ url: database.url, log });
    await database.client.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20991231_later', now())",
    );
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow(
      'A later version of Heliograph has migrated this database (20991231_later), so this version does not know',
    );
    expect(await applyMigrations({ url: database.url, log, allowNewer: true })).toEqual([]);
  });

  it('leaves nothing of a failed migration', async () => {
    await database.client.query('CREATE TYPE template_status AS ENUM ()');
    await expect(applyMigrations({ url: database.url, log })).rejects.toThrow();
    const { rows } = await database.client.query(
      "SELECT to_regclass('messages') AS messages, to_regtype('surface') AS surface",
    );
    expect(rows).toEqual([{ messages: null, surface: null }]);
  });

  it('refuses a database with another encoding', async () => {
    const name = `latin_${randomBytes(6).toString('hex')}`;
    const latin = databaseUrl(database.url, name);
    await database.client.query(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`,
    );
    try {
      await expect(applyMigrations({ url: latin, log })).rejects.toThrow(
        /^The database \(DATABASE_URL\) has the encoding LATIN1, but Heliograph needs UTF8 \(.*\)\.$/,
      );
    } finally {
      await database.client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('refuses a PostgreSQL older than 15', async () => {
    const createClient = (version: string) => ({ query: async () => ({ rows: [{ version }] }) }) as never;
    await expect(requireVersion(createClient('14.13 (Debian 14.13-1)'))).rejects.toThrow(
      'is PostgreSQL 14.13 (Debian 14.13-1), but Heliograph needs 15 or later.',
    );
    for (const version of ['15.0', '18beta1']) await requireVersion(createClient(version));
    await requireVersion(database.client);
  });

  it('reports an unreachable database without its password', async () => {
    const wrongUrl = Object.assign(new URL(database.url), { password: 'wrong-secret' }).toString();
    const failure = await applyMigrations({ url: wrongUrl, log }).catch((error: Error) => error.message);
    expect(failure).toMatch(/^Cannot reach the database \(DATABASE_URL\): password authentication failed/);
    expect(failure).not.toContain('wrong-secret');
  });
});

describe('the first migration', () => {
  beforeEach(() => applyMigrations({ url: database.url, log }).then(() => undefined));

  it.each([
    ["INSERT INTO rate_cards (id, currency) VALUES ('wrong', 'usd')", 'rate_cards_currency_check'],
    ["UPDATE rates SET price_micros = -1 WHERE kind = 'sms'", 'rates_price_micros_check'],
    ["UPDATE rates SET calling_code = '01' WHERE kind = 'sms'", 'rates_calling_code_check'],
    ['UPDATE accounts SET balance_micros = -1', 'accounts_balance_micros_check'],
    ["UPDATE accounts SET currency = '   '", 'accounts_currency_check'],
    ['UPDATE messages SET priority = 4', 'messages_priority_check'],
    ['UPDATE messages SET parts = 0', 'messages_parts_check'],
    [
      'INSERT INTO channels SELECT gen_random_uuid(), account_id, kind, name, phone_number || 1, carrier, true FROM channels',
      'channels_default_key',
    ],
  ])('refuses %s', async (statement, rule) => {
    const account = newId();
    await database.client.query(
      "INSERT INTO accounts (id, name, currency, rate_card_id) VALUES ($1, 'A', 'USD', 'standard')",
      [account],
    );
    await database.client.query(
      `INSERT INTO messages (id, account_id, created_at, valid_until, price_micros, surface, kind, priority, parts,
         carrier, sender, recipient, body)
       VALUES ($1, $2, now(), now(), 0, 'a', 'sms', 0, 1, 'simulator', 'A', '14155550123', '')`,
      [newId(), account],
    );
    await database.client.query(
      `INSERT INTO channels (id, account_id, kind, name, phone_number, carrier, is_default)
       VALUES ($1, $2, 'whatsapp', 'A', '15005550100', 'simulator', true)`,
      [newId(), account],
    );
    await expect(database.client.query(statement)).rejects.toMatchObject({ constraint: rule });
  });

  it('contains the standard rate card with 0.01 USD per SMS part and WhatsApp message', async () => {
    const { rows } = await database.client.query(
      'SELECT currency, kind, calling_code, price_micros FROM rates JOIN rate_cards ON id = rate_card_id ORDER BY kind',
    );
    expect(rows).toEqual([
      { currency: 'USD', kind: 'sms', calling_code: '', price_micros: '10000' },
      { currency: 'USD', kind: 'whatsapp', calling_code: '', price_micros: '10000' },
    ]);
  });

  it('gives messages no full index except the primary key, because each slows every insert', async () => {
    const { rows } = await database.client.query(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE indrelid = 'messages'::regclass AND indpred IS NULL`,
    );
    expect(rows).toEqual([{ name: 'messages_pkey' }]);
  });
});
