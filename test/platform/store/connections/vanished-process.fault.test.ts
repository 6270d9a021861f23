import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freezingProxy } from '../../../../chaos/world/freezing-proxy.mjs';
import { lockAccounts } from '../../../../src/accounts/ledger-store.js';
import { openPool } from '../../../../src/platform/store/connections/pool.js';
import { createTestAccount } from '../../../support/accounts.js';
import { openTestStore, type TestStore } from '../../../support/open-test-store.js';

const log = pino({ level: 'silent' });
let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

describe('a process that PostgreSQL cannot reach', () => {
  it.each([false, true])('loses its lock on an account (behind a pooler: %s)', async (isPooled) => {
    const { id } = await createTestAccount(store);
    const proxy = await freezingProxy(store.url);
    const pool = openPool({ url: proxy.url, size: 1, log, idleInTransactionMs: 1_000, isPooled });
    const client = await pool.connect();
    await client.query('BEGIN');
    await lockAccounts(client, [id]);
    proxy.freeze();
    // The query succeeds only after PostgreSQL has ended the silent transaction, because the proxy keeps its connection open.
    await expect(store.pool.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id])).resolves.toBeDefined();
    await proxy.close();
    client.release(true);
    await pool.end();
  });

  it('loses its locks within a minute by default', async () => {
    const pool = openPool({ url: overTcp(store.url), size: 1, log });
    const { rows } = await pool.query<{ name: string; seconds: number }>(
      `SELECT name, CASE unit WHEN 'ms' THEN setting::int / 1000.0 ELSE setting::int END::float8 AS seconds
       FROM pg_settings WHERE name ~ '^tcp_' OR name = 'idle_in_transaction_session_timeout'`,
    );
    await pool.end();
    const settings = new Map(rows.map(({ name, seconds }) => [name, seconds]));
    const value = (name: string) => settings.get(name) ?? Number.NaN;
    const probeSeconds = value('tcp_keepalives_interval') * value('tcp_keepalives_count');
    const limits = [
      value('tcp_keepalives_idle') + probeSeconds,
      value('tcp_user_timeout'),
      value('idle_in_transaction_session_timeout'),
    ];
    for (const limit of limits) {
      expect(limit).toBeGreaterThan(10);
      expect(limit).toBeLessThan(60);
    }
  });

  it('keeps the options in its URL', async () => {
    const url = new URL(store.url);
    url.searchParams.set('options', '-c work_mem=12345kB');
    const pool = openPool({ url: url.toString(), size: 1, log, idleInTransactionMs: 54_000 });
    const { rows } = await pool.query(
      `SELECT current_setting('work_mem') AS memory, current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    await pool.end();
    expect(rows).toEqual([{ memory: '12345kB', idle: '54s' }]);
  });
});

/** Changes the URL to TCP, because PostgreSQL reports 0 for all TCP settings of a Unix socket. */
function overTcp(url: string): string {
  const tcpUrl = new URL(url);
  tcpUrl.searchParams.delete('host');
  tcpUrl.hostname = '127.0.0.1';
  return tcpUrl.toString();
}
