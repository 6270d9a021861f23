import pg from 'pg';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { moveStore } from '../../../src/features/backup/move.js';
import { SERVER_NAME } from '../../../src/platform/store/connections/connection-name.js';
import { readMoveRecord, requireNotMoved } from '../../../src/platform/store/moved-store.js';
import { describeStoreUrl } from '../../../src/platform/store/redact-url.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { waitFor } from '../../support/wait-for.js';

async function connect(connectionString: string, application_name?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/**
 * Moves a store. The new store executes `atCommit`, a PL/pgSQL statement, when the move commits. `beforeMove` runs before the
 * commit, when all rows have been copied.
 */
async function move(atCommit: string, beforeMove: (from: string) => Promise<unknown> = async () => undefined) {
  const [from, to] = [await createTestDatabase(), await createTestDatabase({ empty: true })];
  for (const { drop } of [from, to]) onTestFinished(drop);
  const moveResult = moveStore({
    ...{ from: from.url, to: to.url, clock: systemClock, log: pino({ level: 'silent' }) },
    onFilled: async (client) => {
      await client.query(`
        CREATE TABLE gate (id int);
        CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${atCommit}; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON gate DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION pass();
        INSERT INTO gate VALUES (1)`);
      await beforeMove(from.url);
    },
  });
  moveResult.catch(() => undefined);
  return {
    moveResult,
    from: await connect(from.url),
    to: await connect(to.url),
    place: describeStoreUrl(to.url),
  };
}

it('a move marks the old store before the new one has the rows', async () => {
  // The move's commit waits for an advisory lock, which the test takes first.
  const { promise: looking, resolve: look } = withResolvers();
  const { moveResult, from, to, place } = await move('PERFORM pg_advisory_xact_lock(1)', () => looking);
  await to.query('SELECT pg_advisory_lock(1)');
  look();
  await waitFor('the commit to wait', async () => {
    // Other test suites may wait for locks in their own databases, so the query filters by database.
    const { rowCount } = await to.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rowCount === 1;
  });
  expect(await readMoveRecord(from)).toMatchObject({ to: place });
  await expect(requireNotMoved(from)).rejects.toThrow(`This store was moved to ${place}`);
  await to.query('SELECT pg_advisory_unlock(1)');
  expect(await moveResult).toMatchObject({ isMarked: true });
  expect(await readMoveRecord(from)).toMatchObject({ to: place });
});

it('a move removes the mark if the rows cannot be committed', async () => {
  const { moveResult, from } = await move("RAISE EXCEPTION 'there is no room'");
  await expect(moveResult).rejects.toThrow('there is no room');
  expect(await readMoveRecord(from)).toBeNull();
});

it('a move is aborted without a mark by a server that started in the meantime', async () => {
  const { moveResult, from } = await move('NULL', (url) => connect(url, SERVER_NAME));
  await expect(moveResult).rejects.toThrow('A Heliograph server is using the store (1 connection)');
  expect(await readMoveRecord(from)).toBeNull();
});
