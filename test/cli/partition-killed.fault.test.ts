import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readLayout } from '../../src/messages/partitions/layout-store.js';
import { createTestAccount } from '../support/accounts.js';
import { openForEachTest } from '../support/for-suite.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { openTestStore, type TestStore } from '../support/open-test-store.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { startHoldingProxy } from '../support/store/holding-proxy.js';
import { withClient } from '../support/store/months.js';
import { insertOldMessages } from '../support/store/old-messages.js';
import { suiteApp } from '../support/suite.js';
import { waitFor } from '../support/wait-for.js';

/**
 * With TEST_KILLS=each, the command is killed after each of its 45 statements, which takes minutes, instead of once per kind.
 */
const KILLS_EACH = process.env.TEST_KILLS === 'each';

function startCommand(databaseUrl: string) {
  const child = spawn(
    process.execPath,
    [join(PROJECT_FOLDER, 'dist', 'cli', 'main.js'), 'store', 'partition', '--yes'],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return {
    readOutput: () => output,
    exitCode,
    async kill() {
      child.kill('SIGKILL');
      await exitCode;
    },
  };
}

/**
 * Kills the command after the first statement that `choose` accepts. Returns the chosen statement, or null if the command ended
 * normally.
 */
async function killAfter(
  { url, pool }: { url: string; pool: pg.Pool },
  choose: (text: string) => boolean,
): Promise<string | null> {
  const proxy = await startHoldingProxy(url, choose);
  const command = startCommand(proxy.url);
  try {
    const statement = await Promise.race([proxy.heldStatement, command.exitCode.then(() => null)]);
    if (statement === null) expect(await command.exitCode, command.readOutput()).toBe(0);
    return statement;
  } finally {
    await command.kill();
    await proxy.close();
    await waitFor('PostgreSQL to see that the command is gone', async () => (await listSessions(pool)).length === 0);
  }
}

async function listSessions(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'heliograph backup'`,
  );
  return rows.map(({ query }) => query);
}

async function readState(pool: pg.Pool) {
  const { rows } = await pool.query<{ lines: number; rules: number }>(
    `SELECT (SELECT count(*)::int FROM audit_log WHERE action = 'store.partition') AS lines,
            (SELECT count(*)::int FROM pg_constraint WHERE conname = 'messages_before_check') AS rules`,
  );
  return { kind: (await readLayout(pool)).kind, ...rows[0] };
}

const DONE = { kind: 'months', lines: 1, rules: 0 };

describe('heliograph store partition', () => {
  const heliograph = suiteApp();

  it(`loses no message and is logged once when killed after ${KILLS_EACH ? 'each statement' : 'each kind of statement'} under load`, {
    timeout: 600_000,
  }, async () => {
    const { databaseUrl: url } = heliograph;
    const { pool } = heliograph.deps;
    const account = await createTestAccount(heliograph.deps);
    const ids: string[] = [];
    let isSending = true;
    const sendRepeatedly = async () => {
      while (isSending) {
        const { message_id } = await sendSms(heliograph, account);
        ids.push(message_id);
        await waitForStatus(heliograph, [message_id], 'delivered');
      }
    };
    const senders = Promise.all([sendRepeatedly(), sendRepeatedly()]);
    // With TEST_KILLS=each, a COMMIT counts as a new step if it follows a different statement.
    const toKind = (text: string) => (KILLS_EACH ? text : text.trim().split(/\s+/).slice(0, 2).join(' '));
    const seenSteps = new Set<string>();
    const kills: string[] = [];
    try {
      for (;;) {
        let previousKind = '';
        const statement = await killAfter({ url, pool }, (text) => {
          const step = text === 'COMMIT' ? `${previousKind}, ${text}` : toKind(text);
          previousKind = toKind(text);
          if (seenSteps.has(step)) return false;
          seenSteps.add(step);
          return true;
        });
        if (statement === null) break;
        const state = await readState(pool);
        kills.push(`${statement.trim().split(/\s+/).slice(0, 2).join(' ')}: ${state.kind}`);
        expect(state, `after ${statement}`).toMatchObject(state.kind === 'months' ? DONE : { kind: 'plain', lines: 0 });
      }
    } finally {
      isSending = false;
      await senders;
    }
    const firstKills = [
      'ALTER TABLE: plain',
      'COMMIT: plain',
      'LOCK TABLE: plain',
      'ALTER INDEX: plain',
      'CREATE TABLE: plain',
    ];
    const lastKills = ['INSERT INTO: plain', 'COMMIT: months', 'ANALYZE messages: months'];
    expect(kills).toEqual(expect.arrayContaining([...firstKills, ...lastKills]));
    expect(await readState(pool)).toEqual(DONE);
    const { rows } = await pool.query('SELECT id FROM messages WHERE id = ANY($1)', [ids]);
    expect(rows).toHaveLength(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });
});

describe('a statement that PostgreSQL continues after store partition was killed', () => {
  const store: TestStore = openForEachTest(openTestStore);
  const LOCK = 4711;
  const READING = 'VALIDATE CONSTRAINT';

  it('delays the next run, which then continues', async () => {
    const ids = await insertOldMessages(store, { from: new Date(), count: 5 });
    await store.pool.query(`
      CREATE FUNCTION wait_for_lock() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN IF position('${READING}' IN current_query()) > 0 THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF; END $$;
      CREATE EVENT TRIGGER waits_for_lock ON ddl_command_end EXECUTE FUNCTION wait_for_lock()`);
    await withClient(store.url, async (holder) => {
      await holder.query('SELECT pg_advisory_lock($1)', [LOCK]);
      const first = startCommand(store.url);
      const isRunning = async () => (await listSessions(store.pool)).some((query) => query.includes(READING));
      await waitFor('the command to read the table', isRunning);
      await first.kill();
      expect(await isRunning()).toBe(true);

      const second = startCommand(store.url);
      try {
        await waitFor('the next run to wait', () => second.readOutput().includes('waiting for it'));
        await holder.query('SELECT pg_advisory_unlock($1)', [LOCK]);
        expect(await second.exitCode, second.readOutput()).toBe(0);
      } finally {
        await second.kill();
      }
    });
    expect(await readState(store.pool)).toEqual(DONE);
    expect((await store.pool.query('SELECT id FROM messages ORDER BY id')).rows).toEqual(ids.map((id) => ({ id })));
  });
});
