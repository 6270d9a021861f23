import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { AccountLocations } from '../../../src/accounts/account-locations.js';
import { commitPlain } from '../../../src/messages/accept/accept-plain-store.js';
import { commitGeneral } from '../../../src/messages/accept/accept-store.js';
import type { PendingRequest } from '../../../src/messages/accept/pending-request.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { sendRequest, type TestSend } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const PART = 10_000n;
const CREDIT = 100_000_000n;
const VERSIONS = 2_000;
/**
 * Maximum number of pages for reading and updating the newest row version. Finding the row by ID takes 36 pages, or 72 if the
 * row is locked first.
 */
const FEW_BLOCKS = 12;

const test = suiteApp({ role: 'api' });
const closers = closersForEachTest();
const now = new Date('2026-11-26T12:00:00Z');

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: test.databaseUrl });
  await client.connect();
  closers.push(() => client.end());
  return client;
}

/** Updates the row in separate transactions, so that an open snapshot keeps every version. */
async function moveOften(client: pg.Client, accountId: string): Promise<void> {
  await client.query(`
    DO $$ DECLARE location tid := (SELECT ctid FROM accounts WHERE id = '${accountId}'); BEGIN
      FOR turn IN 1..${VERSIONS} LOOP
        UPDATE accounts SET balance_changed_at = now() WHERE ctid = location RETURNING ctid INTO STRICT location;
        COMMIT;
      END LOOP;
    END $$`);
}

async function prepare(account: TestAccount, send: TestSend = {}) {
  return test.deps.acceptor.prepare(sendRequest(account, send));
}

async function countFetchedBlocks(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ blocks: number }>(
    `SELECT sum(pg_stat_get_xact_blocks_fetched(oid))::int AS blocks FROM pg_class
     WHERE oid = 'accounts'::regclass OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'accounts'::regclass)`,
  );
  return rows[0]?.blocks ?? Number.NaN;
}

async function readCtid(account: TestAccount): Promise<string> {
  const { rows } = await test.deps.pool.query<{ ctid: string }>('SELECT ctid FROM accounts WHERE id = $1', [
    account.id,
  ]);
  return rows[0]?.ctid ?? '';
}

/** Makes `locations` use the given ctid next, even if another row is stored there. */
async function rememberCtid(locations: AccountLocations, accountId: string, location: string): Promise<void> {
  let isKnown = false;
  while (!isKnown) {
    await locations.find(accountId, async (requestedCtid) => {
      isKnown = requestedCtid === location;
      return { answer: null, isAtLocation: true, location };
    });
  }
}

type Connection = Parameters<typeof commitPlain>[0];
type CommitContext = Parameters<typeof commitPlain>[2];

const STATEMENTS = {
  'the statement for plain SMS': (connection: Connection, pending: PendingRequest, context: CommitContext) =>
    commitPlain(connection, [pending], context),
  'the statement for everything': async (connection: Connection, pending: PendingRequest, context: CommitContext) =>
    (await commitGeneral(connection, [pending], context))[0] === 'accepted',
};

describe.each(Object.entries(STATEMENTS))('while a snapshot is open, %s', (_, commitBy) => {
  it("a commit reads no old versions of the account's row", async () => {
    const account = await createTestAccount(test.deps);
    const [reader, client] = [await connect(), await connect()];
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT FROM accounts LIMIT 1');
    await moveOften(client, account.id);
    const locations = new AccountLocations();
    const countBlocks = async () => {
      const pending = await prepare(account);
      await client.query('BEGIN');
      const blocksBefore = await countFetchedBlocks(client);
      expect(await commitBy(client as unknown as pg.PoolClient, pending, { now, locations })).toBe(true);
      const blocksAfter = await countFetchedBlocks(client);
      await client.query('COMMIT');
      return blocksAfter - blocksBefore;
    };

    await countBlocks();
    const blocks: number[] = [];
    for (let round = 0; round < 5; round++) blocks.push(await countBlocks());
    // The median is checked, because a row version on a new page adds an entry to the primary key, whose pages are then read
    // too.
    blocks.sort((a, b) => a - b);
    expect(blocks[2]).toBeLessThanOrEqual(FEW_BLOCKS);
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - 6n * PART);
  });

  it('a commit charges the right account once after another process moved its row', async () => {
    const [account, otherAccount] = [await createTestAccount(test.deps), await createTestAccount(test.deps)];
    const { pool } = test.deps;
    const locations = new AccountLocations();
    const commit = async (commitAccount: TestAccount) =>
      commitBy(pool, await prepare(commitAccount), { now, locations });
    expect(await commit(account)).toBe(true);
    expect(await commit(otherAccount)).toBe(true);

    expect(await commitBy(pool, await prepare(account), { now, locations: new AccountLocations() })).toBe(true);
    expect(await commit(account)).toBe(true);
    await rememberCtid(locations, account.id, await readCtid(otherAccount));
    expect(await commit(account)).toBe(true);
    await rememberCtid(locations, account.id, '(4294967294,1)');
    expect(await commit(account)).toBe(true);

    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - 5n * PART);
    expect(await readBalance(test.deps, otherAccount.id)).toBe(CREDIT - PART);
    expect(await test.deps.prisma.ledgerEntry.count({ where: { accountId: account.id, kind: 'charge' } })).toBe(5);
  });

  it('a commit charges nothing if the account cannot pay, at its current and at its former location', async () => {
    const account = await createTestAccount(test.deps, { creditMicros: 2n * PART });
    const { pool } = test.deps;
    const locations = new AccountLocations();
    const commit = async (to: string[]) => commitBy(pool, await prepare(account, { to }), { now, locations });
    expect(await commit(['15005550100'])).toBe(true);
    expect(await commit(['15005550100', '15005550101'])).toBe(false);
    expect(await readBalance(test.deps, account.id)).toBe(PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(1);
  });

  it('commits charge exactly if several processes update one account and remember outdated locations', async () => {
    const account = await createTestAccount(test.deps);
    const { pool } = test.deps;
    const commitRepeatedly = async () => {
      const locations = new AccountLocations();
      for (let round = 0; round < 25; round++) {
        expect(await commitBy(pool, await prepare(account), { now, locations })).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 4 }, commitRepeatedly));
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - 100n * PART);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(100);
  });
});
