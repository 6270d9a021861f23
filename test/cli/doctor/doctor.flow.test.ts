import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { newId } from '../../../src/platform/ids.js';
import { readBloat, readOldestTransaction } from '../../../src/platform/store/facts-store.js';
import { readPreparedTransactions, readReplicationSlots } from '../../../src/platform/store/retained-store.js';
import { commandsOnTestStore, run } from '../run.js';

const commands = commandsOnTestStore();

interface Result {
  version: string;
  ok: boolean;
  findings: Finding[];
}

async function examine(): Promise<{ code: number; result: Result; find(check: string): Finding | undefined }> {
  const { code, stdout, stderr } = await commands.cli('doctor', '--json');
  expect(stderr).toBe('');
  const result = JSON.parse(stdout) as Result;
  return { code, result, find: (check) => result.findings.find((finding) => finding.check === check) };
}

const query = (text: string, values: unknown[] = []) => commands.store.pool.query(text, values);

it('doctor warns about missing accounts and exits with 0', async () => {
  const { code, result, find } = await examine();
  expect({ code, ok: result.ok }).toEqual({ code: 0, ok: true });
  expect(result.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  for (const check of [
    'settings.valid',
    'store.reachable',
    'store.encoding',
    'store.migrations',
    'clock.difference',
    'queue.place',
  ]) {
    expect(find(check)?.severity, check).toBe('ok');
  }
  expect(find('accounts.present')).toEqual({
    check: 'accounts.present',
    severity: 'warning',
    text: 'There is no account, so every request is rejected.',
    advice: 'Create one with "heliograph account create <name>".',
  });
  expect(find('operators.present')?.severity).toBe('warning');
  expect(find('carriers.default')).toMatchObject({
    severity: 'warning',
    text: expect.stringContaining('reach nobody'),
  });
});

it('doctor prints a line per finding, advice below it, and a summary', async () => {
  const { code, stdout } = await commands.cli('doctor');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {7}settings {3}All settings are valid\.$/m);
  expect(stdout).toMatch(
    /^WARNING {2}accounts {3}There is no account.*\n {20}Create one with "heliograph account create <name>"\.$/m,
  );
  expect(stdout).toMatch(/\n\n0 errors, \d+ warnings?\.\n$/);
});

it('doctor shows waiting messages by lane with the oldest age', async () => {
  const accountId = await commands.createAccount('Waits');
  const insert = (priority: number, age: string, overrides: { status?: string; notBefore?: string } = {}) =>
    query(
      `INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority,
         parts, carrier, sender, recipient, body, not_before)
       VALUES ($1, $2, now() - $3::interval, now() + interval '1 day', now(), 0, 'a', 'sms', $4::message_status, $5, 1,
         'simulator', 'x', '15005550100', 'x', now() + $6::interval)`,
      [newId(), accountId, age, overrides.status ?? 'queued', priority, overrides.notBefore ?? null],
    );
  await insert(3, '2 hours');
  await insert(3, '1 minute');
  await insert(0, '10 minutes');
  await insert(0, '3 hours', { notBefore: '1 hour' });
  const { code, result } = await examine();
  const waitingFindings = result.findings.filter(({ check }) => check.startsWith('waiting.'));
  expect(waitingFindings.map(({ check, severity, text }) => [check, severity, text])).toEqual([
    ['waiting.urgent', 'error', '2 messages due, the oldest for 2 hours.'],
    ['waiting.bulk', 'warning', '1 message due, the oldest for 10 minutes.'],
    ['waiting.bulk', 'ok', '1 message waiting for a retry, the oldest for 3 hours.'],
  ]);
  expect(code).toBe(1);
  await query('DELETE FROM messages');
});

it('doctor reports problems of callbacks, channels, carriers and webhooks', async () => {
  const accountId = await commands.createAccount('Unwell');
  const { id: channelId } = await commands.json<{ id: string }>(
    'channel',
    'create',
    '--account',
    accountId,
    '--name',
    'Support',
    '--phone',
    '15005550111',
  );
  await query("UPDATE channels SET paused_at = now(), pause_reason = 'number banned' WHERE id = $1", [channelId]);
  await query(
    `INSERT INTO carrier_callbacks (carrier, body, received_at, set_aside_at)
     VALUES ('meta', '{}', now() - interval '10 minutes', NULL), ('meta', '{}', now() - interval '1 day', now())`,
  );
  await query(
    `INSERT INTO webhooks (id, account_id, url, events, secret, is_active, disabled_reason, failing_since, is_callback)
     VALUES ($1, $4, 'https://a.example/', '{}', 'x', false, 'gone', NULL, false),
            ($2, $4, 'https://b.example/', '{}', 'x', true, NULL, now(), false),
            ($3, $4, 'https://c.example/', '{}', 'x', true, NULL, NULL, false),
            ($5, $4, 'https://d.example/', '{}', 'x', true, NULL, now(), true)`,
    [newId(), newId(), newId(), accountId, newId()],
  );
  await query(
    `INSERT INTO webhook_deliveries (id, webhook_id, type, data, next_attempt_at, occurred_at)
     SELECT gen_random_uuid(), id, 'message.status', '{}', now() - interval '5 minutes', now() FROM webhooks WHERE is_active`,
  );
  const { find } = await examine();
  expect(find('channels.paused')).toMatchObject({
    severity: 'warning',
    text: '1 channel is paused, so its messages wait: Support (number banned).',
    advice: expect.stringContaining(`heliograph channel resume ${channelId}`),
  });
  expect(find('callbacks.waiting')).toMatchObject({ text: '1 carrier callback waiting, the oldest for 10 minutes.' });
  expect(find('callbacks.set-aside')?.severity).toBe('warning');
  const { rows: hooks } = await query('SELECT id FROM webhooks ORDER BY url');
  expect(find('webhooks.disabled')?.text).toContain('1 webhook was disabled');
  expect(find('webhooks.disabled')?.text).toMatch(
    new RegExp(`: ${hooks[0].id} \\(https://a\\.example/, of .+, ${accountId}\\)\\.$`),
  );
  expect(find('webhooks.failing')).toMatchObject({
    severity: 'warning',
    text: expect.stringContaining(`${hooks[1].id} (https://b.example/, of `),
    advice: expect.stringContaining('heliograph webhook failing'),
  });
  expect(find('webhooks.failing-hosts')).toMatchObject({
    severity: 'warning',
    text: `Every delivery to 1 host of callback URLs currently fails: ${hooks[3].id} (https://d.example/, of Unwell, ${accountId}).`,
    advice: expect.stringContaining('never disabled'),
  });
  expect(find('webhooks.lag')).toMatchObject({
    severity: 'warning',
    text: '1 delivery of webhooks are due, the oldest for 5 minutes.',
  });
});

it('doctor names a carrier setting whose pattern cannot run in linear time', async () => {
  const settings = { url: 'http://127.0.0.1:9/', json: { to: '{to}' }, success: 'text ~ /^(?!ERR)/' };
  await query(`INSERT INTO carriers (id, name, type, settings, updated_at) VALUES ($1, 'old', 'http', $2, now())`, [
    newId(),
    settings,
  ]);
  const { result } = await examine();
  await query(`DELETE FROM carriers WHERE name = 'old'`);
  expect(result.findings).toContainEqual({
    check: 'carriers.old',
    severity: 'warning',
    text: expect.stringMatching(/^old ignores its setting success, which .*linear time/),
    advice: 'Correct it: "heliograph carrier set old --set success=…".',
  });
});

it('doctor warns about sign-in services without VERIFICATION_SECRET', async () => {
  const accountId = await commands.createAccount('Signs in');
  expect((await examine()).find('codes.secret')).toBeUndefined();
  await query(
    `INSERT INTO sign_in_services (id, account_id, type, app_name, sender, digits, created_at)
     VALUES ($1, $2, 'verify', 'Acme', 'Acme', 6, now())`,
    [newId(), accountId],
  );
  expect((await examine()).find('codes.secret')).toMatchObject({
    severity: 'warning',
    text: '1 sign-in service is set up, but sign-in codes are off, because VERIFICATION_SECRET is not set.',
    advice: expect.stringContaining('verifications-key'),
  });
  const env = { DATABASE_URL: commands.store.url, VERIFICATION_SECRET: 'a-secret-of-thirty-two-characters' };
  const { findings } = JSON.parse((await run(env, 'doctor', '--json')).stdout) as Result;
  expect(findings.find(({ check }) => check === 'codes.secret')?.severity).toBe('ok');
});

it('doctor reports a carrier without a process, and an unknown SMS_CARRIER', async () => {
  await query(
    `INSERT INTO carriers (id, name, type, settings, is_active)
     VALUES (gen_random_uuid(), 'smsc', 'smpp', '{}', true), (gen_random_uuid(), 'off', 'smpp', '{}', false)`,
  );
  const insertReport = (state: string) =>
    query(
      `INSERT INTO carrier_reports (process_id, carrier, host, pid, state, since, reason, connections, rate_per_second, in_hand)
       VALUES ($1, 'smsc', 'host', 1, $2, now(), 'no bind', '[]', 0, 0)`,
      [newId(), state],
    );
  expect((await examine()).find('carriers.smsc')).toMatchObject({ severity: 'warning' });
  await insertReport('up');
  const { find } = await examine();
  expect(find('carriers.smsc')).toMatchObject({ severity: 'ok', text: 'smsc is up in 1 of 1 process.' });
  expect(find('carriers.off')).toMatchObject({ severity: 'ok', text: 'off is switched off.' });
  await query("UPDATE carrier_reports SET state = 'down', refreshed_at = now()");
  expect((await examine()).find('carriers.smsc')).toMatchObject({
    severity: 'error',
    text: 'smsc is up in 0 of 1 process: no bind.',
  });
  const { code, stdout } = await run({ DATABASE_URL: commands.store.url, SMS_CARRIER: 'nothing' }, 'doctor');
  expect(code).toBe(1);
  expect(stdout).toContain('SMS_CARRIER is nothing, but no carrier has this name.');
});

it('doctor warns when most of several calls to a carrier fail', async () => {
  const insertCalls = (count: number, status: number) =>
    query(
      `INSERT INTO carrier_calls (id, carrier, at, milliseconds, method, url, status, failed)
       SELECT gen_random_uuid(), 'meta', now(), 1, 'POST', 'https://meta.example/1/messages', $2, $2 > 299
       FROM generate_series(1, $1)`,
      [count, status],
    );
  await insertCalls(9, 401);
  expect((await examine()).find('calls.meta')).toMatchObject({ severity: 'ok' });
  await insertCalls(9, 200);
  expect((await examine()).find('calls.meta')).toEqual({
    check: 'calls.meta',
    severity: 'warning',
    text: '9 of 18 calls to meta failed within the last hour, the last with status 401: POST https://meta.example/1/messages',
    advice: '"heliograph carrier calls meta --failed" shows requests and responses.',
  });
  await insertCalls(1, 200);
  expect((await examine()).find('calls.meta')).toMatchObject({
    severity: 'ok',
    text: '9 of 19 calls to meta failed within the last hour.',
  });
});

it('doctor reports a long transaction and how to end it', async () => {
  const client = new pg.Client({ connectionString: commands.store.url, application_name: 'forgotten' });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  expect(await readOldestTransaction(commands.store.pool)).toMatchObject({
    pid: rows[0]?.pid,
    application: 'forgotten',
    state: 'idle in transaction',
  });
});

it('doctor reports a store of a later version, and skips checks when tables are missing', async () => {
  const recordMigration = (name: string) =>
    query("INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', $1, now())", [
      name,
    ]);
  await recordMigration('20991231000000_later');
  const laterResult = await examine();
  expect(laterResult.find('store.migrations')).toMatchObject({
    severity: 'error',
    text: expect.stringContaining('20991231000000_later'),
  });
  expect(laterResult.code).toBe(1);
  await query("DELETE FROM _prisma_migrations WHERE migration_name = '20991231000000_later'");
  const { rows } = await query(
    'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING *',
  );
  const olderResult = await examine();
  expect(olderResult.find('store.migrations')).toMatchObject({ severity: 'warning' });
  expect(olderResult.find('accounts.present')).toBeUndefined();
  const { id, checksum, migration_name, finished_at } = rows[0] as Record<string, unknown>;
  await query('INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, $2, $3, $4)', [
    id,
    checksum,
    migration_name,
    finished_at,
  ]);
});

it('doctor lists all invalid settings and stops there', async () => {
  const { code, stdout } = await run({ ROLE: 'api', PORT: 'abc' }, 'doctor', '--json');
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout) as Result;
  expect(findings.map(({ check, severity }) => [check, severity])).toEqual([
    ['settings.valid', 'error'],
    ['settings.valid', 'error'],
  ]);
  expect(findings.map(({ text }) => text).join()).toMatch(/PORT must be a whole number.*DATABASE_URL must be set.*\.$/);
});

it('doctor reports an unreachable database and Redis without stack traces or passwords', async () => {
  const env = { DATABASE_URL: 'postgresql://me:hidden@127.0.0.1:1/x', REDIS_URL: 'redis://:hidden@127.0.0.1:1' };
  const { code, stdout, stderr } = await run(env, 'doctor');
  expect(code).toBe(1);
  expect(stderr).toBe('');
  expect(stdout).toContain('The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1.');
  expect(stdout).toContain('Redis (REDIS_URL) cannot be reached: connect ECONNREFUSED 127.0.0.1:1.');
  expect(stdout).not.toMatch(/hidden|\n\s+at /);
});

it('doctor does not create a missing embedded store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, stdout } = await run({ DATA_DIR: join(folder, 'data') }, 'doctor');
  expect(code).toBe(1);
  expect(stdout).toContain(`There is no data in ${join(folder, 'data')} (DATA_DIR), and DATABASE_URL is not set.`);
  expect(readdirSync(folder)).toEqual([]);
});

it('doctor finds dead rows by the autovacuum thresholds of each table', async () => {
  const client = await commands.store.pool.connect();
  try {
    await client.query(`
      CREATE TABLE dead_rows (id int) WITH (autovacuum_enabled = off);
      INSERT INTO dead_rows SELECT generate_series(1, 20000);
      ANALYZE dead_rows;
      DELETE FROM dead_rows WHERE id <= 12000;
      SELECT pg_stat_force_next_flush();`);
    const bloatedTables = async (factor: number) =>
      (await readBloat(client, { share: 0.4, minRows: 10_000, thresholdFactor: factor })).map(({ table }) => table);
    await client.query('SELECT pg_stat_clear_snapshot()');
    // The table has 12,000 dead rows, and autovacuum's threshold is 4,050 (50 + 20 % of 20,000).
    expect(await bloatedTables(2)).toContain('dead_rows');
    await client.query('ALTER TABLE dead_rows SET (autovacuum_vacuum_scale_factor = 0.5)');
    expect(await bloatedTables(2)).not.toContain('dead_rows');
    expect(await bloatedTables(1)).toContain('dead_rows');
    await client.query('ALTER TABLE dead_rows SET (autovacuum_vacuum_threshold = 5000)');
    expect(await bloatedTables(1)).not.toContain('dead_rows');
  } finally {
    await client.query('DROP TABLE IF EXISTS dead_rows');
    client.release();
  }
});

it('replication slots and prepared transactions are read from PostgreSQL', async () => {
  const { pool } = commands.store;
  expect(await readPreparedTransactions(pool)).toEqual([]);
  const name = `doctor_${process.pid}`;
  const client = await pool.connect();
  try {
    // PostgreSQL drops a temporary slot with its connection, even if the test fails.
    await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [name]);
    const findSlot = async () => (await readReplicationSlots(pool)).find((slot) => slot.name === name);
    const slotBefore = await findSlot();
    expect(slotBefore).toMatchObject({ isRead: true, retainedBytes: expect.any(Number) });
    await client.query("SELECT pg_logical_emit_message(false, 'doctor', repeat('x', 100000))");
    expect((await findSlot())?.retainedBytes).toBeGreaterThan((slotBefore?.retainedBytes ?? 0) + 100_000);
  } finally {
    client.release(true);
  }
});
