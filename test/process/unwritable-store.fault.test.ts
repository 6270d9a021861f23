import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { readBalance } from '../support/accounts.js';
import { createTestChannel } from '../support/channels.js';
import { asAdmin } from '../support/store/databases.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

let heliograph: TestApp | undefined;
afterEach(async () => heliograph?.close());

/** SQL that makes inserts fail as on a full disk, with PostgreSQL's error message. */
const FILL_DISK = `
CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER fill_disk BEFORE INSERT ON messages EXECUTE FUNCTION fill_disk();
CREATE TRIGGER fill_disk BEFORE INSERT ON contacts EXECUTE FUNCTION fill_disk()`;

const READ_ONLY = 'ALTER DATABASE %DB% SET default_transaction_read_only = on';
const HANG_UP = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const FAULTS = [
  {
    what: 'a full disk',
    reason: /No space left on device/,
    begin: [FILL_DISK],
    end: ['DROP FUNCTION fill_disk() CASCADE'],
  },
  {
    what: 'a read-only store',
    reason: /read-only transaction/,
    begin: [READ_ONLY, HANG_UP],
    end: ['BEGIN READ WRITE; ALTER DATABASE %DB% RESET default_transaction_read_only; COMMIT'],
  },
] as const;

describe('a reachable store that cannot write', () => {
  it.each(FAULTS)(
    '$what: sends get a 503, few lines are logged, and sending works again afterwards',
    async ({ reason, begin, end }) => {
      const lines: { level: number; err?: { message: string } }[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
      heliograph = await testApp({ role: 'api', log });
      const { app, deps, databaseUrl } = heliograph;
      const channel = await createTestChannel(deps);
      const { account } = channel;
      const runStatements = async (statements: readonly string[]) => {
        const name = new URL(databaseUrl).pathname.slice(1);
        for (const statement of statements) await asAdmin(databaseUrl, statement.replace('%DB%', name));
      };
      const send = () =>
        app.inject({
          method: 'POST',
          url: '/v2/send',
          headers: account.headers,
          payload: { to: '15005550100', from: 'Full', message: 'Does it fit?' },
        });
      const create = () =>
        app.inject({
          method: 'POST',
          url: '/api/v1/contacts',
          headers: channel.headers,
          payload: { phone: '15005550100' },
        });
      expect((await send()).statusCode).toBe(200);
      const balanceBefore = await readBalance(deps, account.id);

      await runStatements(begin);
      lines.length = 0;
      for (let wave = 0; wave < 3; wave++) {
        const responses = await Promise.all([...Array.from({ length: 10 }, send), create()]);
        const contact = responses.pop();
        expect(contact?.statusCode, contact?.body).toBe(503);
        expect(contact?.json().error.code).toBe('UNAVAILABLE');
        for (const { statusCode, body } of responses) {
          expect(statusCode, body).toBe(503);
          expect(JSON.parse(body)).toMatchObject({ status: 'error', code: 503 });
        }
      }
      const matching = lines.filter(({ err }) => reason.test(err?.message ?? ''));
      expect(matching.length).toBeGreaterThan(0);
      // The server must not log a line for each of the 33 failed requests.
      expect(lines.length).toBeLessThanOrEqual(12);

      await runStatements(end);
      await waitFor('a send to be accepted', async () => (await send()).statusCode === 200);
      const { _sum } = await deps.prisma.message.aggregate({
        where: { accountId: account.id },
        _sum: { priceMicros: true },
      });
      expect(balanceBefore + 10_000n - (await readBalance(deps, account.id))).toBe(_sum.priceMicros);
    },
  );
});
