import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeCursor } from '../../../src/features/changes/cursor.js';
import { adoptChangeHistory, readChanges, restartChangeHistory } from '../../../src/messages/changes/changes-store.js';
import { sweepChanges } from '../../../src/messages/changes/sweep-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { startCampaign, waitForCampaign } from '../../support/campaigns.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { checkUntil, waitForStatus } from '../../support/messages.js';
import { atScale } from '../../support/run/extent.js';
import { accept, FINAL_STATUS_BY_NUMBER } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

interface Change {
  type: 'message' | 'status' | 'inbound';
  message_id: string;
  timestamp: string;
  status?: string;
  [field: string]: unknown;
}

interface Answer {
  data: Change[];
  cursor: string;
  has_more: boolean;
  kept_since: string;
}

async function fetchChanges({ app }: Pick<TestApp, 'app'>, { headers }: Pick<TestAccount, 'headers'>, query = '') {
  const response = await app.inject({ url: `/v2/changes${query}`, headers });
  expect(response.statusCode, response.body).toBe(200);
  return response.json() as Answer;
}

class Poller {
  readonly received: Change[] = [];
  #cursor: string | null = null;

  constructor(
    readonly account: Pick<TestAccount, 'headers'>,
    readonly limit = 1_000,
  ) {}

  async poll(test: Pick<TestApp, 'app'>): Promise<void> {
    for (;;) {
      const after = this.#cursor === null ? '' : `&after=${this.#cursor}`;
      const { data, cursor, has_more } = await fetchChanges(test, this.account, `?limit=${this.limit}${after}`);
      this.received.push(...data);
      this.#cursor = cursor;
      if (!has_more) return;
    }
  }

  /** Polls repeatedly, because transactions in other databases of the same PostgreSQL server may delay changes. */
  pollUntil(test: Pick<TestApp, 'app'>, isEnough: (received: readonly Change[]) => boolean): Promise<boolean> {
    const isThere = async () => {
      await this.poll(test);
      return isEnough(this.received);
    };
    return waitFor('the changes to be received', isThere);
  }
}

const filterByType = (changes: readonly Change[], type: Change['type']) =>
  changes.filter((change) => change.type === type);

async function listSteps({ deps }: TestApp, accountId: string): Promise<string[]> {
  const rows = await deps.prisma.message.findMany({ where: { accountId, surface: 'a' } });
  return rows
    .flatMap(({ id, sentAt, deliveredAt, readAt, endedAt, status }) => [
      ...(sentAt ? [`${id} sent`] : []),
      ...(deliveredAt ? [`${id} delivered`] : []),
      ...(readAt ? [`${id} read`] : []),
      ...(endedAt ? [`${id} ${status}`] : []),
    ])
    .sort();
}

describe('changes', () => {
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ clock });

  it('the list of changes includes each step of a message once, after the message itself, for every possible outcome', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account } = channel;
    const send = (to: string, overrides: object = {}) =>
      heliograph.app.inject({
        method: 'POST',
        url: '/v2/send',
        headers: account.headers,
        payload: { from: 'Heliograph', to, message: 'Hello', ...overrides },
      });
    const finalStatuses: Record<string, string> = {
      ...FINAL_STATUS_BY_NUMBER,
      '15005550111': 'delivered',
      '15005550005': 'sent',
    };
    const ids: Record<string, string> = {};
    for (const [to, status] of Object.entries(finalStatuses)) {
      const response = await send(to, { reference: `to ${to}`, metadata: { to } });
      ids[to] = response.json().data[0].message_id;
      await waitForStatus(heliograph, [ids[to] as string], status);
    }
    const plainIds = await accept(heliograph.deps, account, { to: '15005550112' });
    await waitForStatus(heliograph, plainIds, 'delivered');
    const whatsapp = { from: channel.phoneNumber, channel: 'whatsapp' };
    await send('15005550002', { ...whatsapp, fallback: { channel: 'sms', from: 'Shop' } });
    const laterResponse = await send('15005550111', {
      scheduled_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    });
    const url = `/v2/messages/${laterResponse.json().data[0].message_id}/cancel`;
    expect((await heliograph.app.inject({ method: 'POST', url, headers: account.headers })).statusCode).toBe(200);
    await playInbound(heliograph, channel, { from: '15005550111', text: 'Hello you' });
    clock.advance(5 * 24 * 3_600_000);
    await checkUntil(heliograph, ids['15005550005'] as string, 'expired');
    await waitFor('the fallback to have ended', async () => {
      const rows = await heliograph.deps.prisma.message.findMany({ where: { accountId: account.id } });
      return rows.length === 11 && rows.every(({ status }) => !['queued', 'sending', 'sent'].includes(status));
    });

    const steps = await listSteps(heliograph, account.id);
    const poller = new Poller(account, 3);
    await poller.pollUntil(heliograph, (received) => received.length >= 11 + steps.length + 1);
    const statuses = filterByType(poller.received, 'status');
    expect(statuses.map((change) => `${change.message_id} ${change.status}`).sort()).toEqual(steps);
    const seenIds = new Set<string>();
    for (const { type, message_id } of poller.received) {
      if (type === 'message') seenIds.add(message_id);
      if (type === 'status') expect(seenIds).toContain(message_id);
    }
    expect(seenIds.size).toBe(11);
    expect(filterByType(poller.received, 'inbound')).toMatchObject([
      { inbound: { from: '15005550111', message: 'Hello you' } },
    ]);
    const refusedChange = statuses.find(({ message_id }) => message_id === ids['15005550001']);
    expect(refusedChange).toMatchObject({
      status: 'failed',
      error: { code: expect.any(String) },
      reference: 'to 15005550001',
      metadata: { to: '15005550001' },
    });
    const readChange = statuses.filter(({ message_id }) => message_id === ids['15005550006']);
    expect(readChange.map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
    const [first] = poller.received;
    const response = await heliograph.app.inject({
      url: `/v2/messages/${first?.message_id}`,
      headers: account.headers,
    });
    const { parts, fallback, fallback_of, held_until, holds, ...entry } = response.json().data;
    expect(first).toMatchObject({ type: 'message', message: entry });
  });

  it('the list of changes includes only Surface A messages of the account', async () => {
    const { id, channel } = await startCampaign(heliograph, 2);
    const sms = await accept(heliograph.deps, channel.account, {});
    await waitForCampaign(heliograph, channel, id, 'completed');
    await waitForStatus(heliograph, sms, 'delivered');
    const poller = new Poller(channel.account);
    await poller.pollUntil(heliograph, (received) => received.length >= 3);
    expect(poller.received.map(({ message_id }) => message_id)).toEqual([sms[0], sms[0], sms[0]]);
    const otherAccount = await createTestAccount(heliograph.deps);
    expect((await fetchChanges(heliograph, otherAccount)).data).toEqual([]);
  });

  it('changes are returned once each, whenever they are requested, while several processes write at once', async () => {
    const account = await createTestAccount(heliograph.deps);
    const secondServer = await testApp({ sharesWith: heliograph, clock });
    onTestFinished(() => secondServer.close());
    const poller = new Poller(account, 50);
    const ids: string[] = [];
    let isSending = true;
    const sends = [heliograph, secondServer].map(async (test, serverIndex) => {
      for (let round = 0; round < 20; round += 1) {
        const to = Array.from({ length: 5 }, (_, index) => String(15005560000 + index));
        ids.push(...(await accept(test.deps, account, { to, key: serverIndex === 0 ? `round ${round}` : undefined })));
      }
    });
    const keepPolling = (async () => {
      while (isSending) await poller.poll(secondServer);
    })();
    await Promise.all(sends);
    isSending = false;
    await keepPolling;
    await waitForStatus(heliograph, ids, 'delivered');
    await poller.pollUntil(secondServer, (received) => received.length >= 3 * ids.length);
    expect(
      filterByType(poller.received, 'message')
        .map((change) => change.message_id)
        .sort(),
    ).toEqual(ids.sort());
    const statuses = filterByType(poller.received, 'status').map((change) => `${change.message_id} ${change.status}`);
    expect(statuses.sort()).toEqual(await listSteps(heliograph, account.id));
  });

  it('the list of changes never misses a large request that commits after later requests', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000_000n });
    const secondServer = await testApp({ sharesWith: heliograph, clock });
    onTestFinished(() => secondServer.close());
    const [last, lock] = ['15005579999', 4_711];
    const to = [
      ...Array.from({ length: atScale({ full: 9_999, quick: 1_999 }) }, (_, index) => String(15005560000 + index)),
      last,
    ];
    const holder = new pg.Client(heliograph.databaseUrl);
    await holder.connect();
    await holder.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_advisory_xact_lock(${lock}); RETURN new; END $$`);
    await holder.query(`CREATE TRIGGER hold BEFORE INSERT ON messages FOR EACH ROW
      WHEN (new.recipient = '${last}') EXECUTE FUNCTION hold()`);
    try {
      await holder.query(`SELECT pg_advisory_lock(${lock})`);
      // A request that times out has an unknown outcome, and repeating the request returns its result.
      const ask = () => accept(heliograph.deps, account, { to, key: 'large' });
      const largeRequest = ask().catch(() => null);
      await waitFor('the large request to be held', async () => {
        const { rows } = await holder.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lock}`,
        );
        return rows.length === 1;
      });
      const pollers = [new Poller(account), new Poller(account, 333)];
      const singles: string[] = [];
      for (const test of [heliograph, secondServer, heliograph]) {
        singles.push(...(await accept(test.deps, account, {})));
        await Promise.all(pollers.map((poller) => poller.poll(secondServer)));
      }
      await waitForStatus(heliograph, singles, 'delivered');
      await Promise.all(pollers.map((poller) => poller.poll(heliograph)));
      expect(pollers.flatMap(({ received }) => received)).toEqual([]);
      await holder.query(`SELECT pg_advisory_unlock(${lock})`);
      const ids = [...((await largeRequest) ?? (await ask())), ...singles];
      for (const poller of pollers) {
        await poller.pollUntil(secondServer, (received) => filterByType(received, 'message').length >= ids.length);
        expect(
          filterByType(poller.received, 'message')
            .map((change) => change.message_id)
            .sort(),
        ).toEqual(ids.sort());
      }
    } finally {
      await holder.query('SELECT pg_advisory_unlock_all()');
      await holder.query('DROP TRIGGER hold ON messages');
      await holder.end();
    }
  });
});

async function createFirstCursor(pool: pg.Pool, accountId: string) {
  const { store } = await readChanges(pool, accountId, { xid: '0', id: '0', no: 0 }, { limit: 1, days: null });
  return { store, xid: '0', id: '0', no: 0, at: new Date() };
}

describe('a cursor of changes', () => {
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ clock, role: 'api' });
  const hour = 3_600_000;
  const ask = async (account: TestAccount, after: string) => {
    const response = await heliograph.app.inject({
      url: `/v2/changes?after=${encodeURIComponent(after)}`,
      headers: account.headers,
    });
    return [response.statusCode, response.json().data.errors?.[0]?.field ?? null];
  };
  const decode = (cursor: string) => Buffer.from(cursor, 'base64url').toString().split('.');
  const editCursor = (cursor: string, edit: (parts: string[]) => void) => {
    const parts = decode(cursor);
    edit(parts);
    return Buffer.from(parts.join('.')).toString('base64url');
  };

  it('`now` is after all past changes, and stays valid while nothing happens', async () => {
    const account = await createTestAccount(heliograph.deps);
    await accept(heliograph.deps, account, {});
    await waitFor('the first to be received', async () => (await fetchChanges(heliograph, account)).data.length === 1);
    const now = await fetchChanges(heliograph, account, '?after=now');
    expect(now).toMatchObject({ data: [], has_more: false, kept_since: expect.any(String) });
    const emptyPage = await fetchChanges(heliograph, account, `?after=${now.cursor}`);
    expect(emptyPage.data).toEqual([]);
    const [id] = await accept(heliograph.deps, account, {});
    for (const { cursor } of [now, emptyPage]) {
      const nextPage = await waitFor('the next to be received', async () => {
        const page = await fetchChanges(heliograph, account, `?after=${cursor}`);
        return page.data.length > 0 && page;
      });
      expect(nextPage.data.map(({ message_id }) => message_id)).toEqual([id]);
    }
  });

  it('a cursor of changes is rejected if malformed, like a limit out of range', async () => {
    const account = await createTestAccount(heliograph.deps);
    for (const after of ['x', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', Buffer.from('1.2.3').toString('base64url')]) {
      expect(await ask(account, after)).toEqual([400, 'after']);
    }
    for (const limit of ['0', '1001', 'x']) {
      const response = await heliograph.app.inject({ url: `/v2/changes?limit=${limit}`, headers: account.headers });
      expect(response.statusCode).toBe(400);
    }
  });

  it('a cursor of changes is gone if it is too old or from another store', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { cursor } = await fetchChanges(heliograph, account);
    const outdatedCursor = editCursor(cursor, (parts) => {
      parts[5] = String(Date.now() - 7.125 * 24 * hour - 60_000);
    });
    const foreignCursor = editCursor(cursor, (parts) => {
      parts[1] = '1';
    });
    const futureCursor = editCursor(cursor, (parts) => {
      parts[2] = '900000000000000000';
    });
    for (const cursor of [outdatedCursor, foreignCursor, futureCursor])
      expect(await ask(account, cursor)).toEqual([410, 'after']);
    const [, store = '', xid = '', id = ''] = decode(cursor);
    const recentCursor = encodeCursor({ store, xid, id, no: 0, at: new Date(Date.now() - 7 * 24 * hour - 2 * hour) });
    expect((await ask(account, recentCursor))[0]).toBe(200);
  });

  it('a cursor of changes continues in a store whose transaction numbers restarted', async () => {
    const account = await createTestAccount(heliograph.deps);
    const idsBefore = await accept(heliograph.deps, account, { to: ['15005550101', '15005550102'] });
    const { pool } = heliograph.deps;
    await pool.query('UPDATE message_changes SET xid = xid + 1000000000000 WHERE account_id = $1', [account.id]);
    await pool.query('UPDATE change_history SET cluster = 1');
    const listRows = async () =>
      (await pool.query('SELECT ctid, * FROM message_changes WHERE account_id = $1 ORDER BY id', [account.id])).rows;
    const storedRows = await listRows();
    await adoptChangeHistory(pool);
    await adoptChangeHistory(pool);
    // Stored changes must not be rewritten at startup, because there may be millions of them.
    expect(await listRows()).toEqual(storedRows);
    const poller = new Poller(account);
    await poller.poll(heliograph);
    expect(poller.received.map(({ message_id }) => message_id)).toEqual(idsBefore);
    const idsAfter = await accept(heliograph.deps, account, {});
    await poller.pollUntil(heliograph, (received) => received.length === 3);
    expect(poller.received.at(-1)?.message_id).toBe(idsAfter[0]);
    await pool.query('UPDATE change_history SET cluster = 1');
    await adoptChangeHistory(pool);
    const laterIds = await accept(heliograph.deps, account, {});
    const restarted = new Poller(account);
    await restarted.pollUntil(heliograph, (received) => received.length === 4);
    expect(restarted.received.map(({ message_id }) => message_id)).toEqual([...idsBefore, ...idsAfter, ...laterIds]);
  });

  it('a cursor of changes is gone once its store was restored from a backup, like later cursors after the next restore', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { pool } = heliograph.deps;
    const { cursor: first } = await fetchChanges(heliograph, account);
    await restartChangeHistory(pool);
    expect(await ask(account, first)).toEqual([410, 'after']);
    const { cursor: secondCursor } = await fetchChanges(heliograph, account);
    expect((await ask(account, secondCursor))[0]).toBe(200);
    await pool.query('UPDATE change_history SET cluster = 1');
    await adoptChangeHistory(pool);
    for (const cursor of [first, secondCursor]) expect(await ask(account, cursor)).toEqual([410, 'after']);
    await pool.query('UPDATE change_history SET epoch = NULL');
  });

  it('a cursor from the first page continues, even next to changes that are about to be deleted', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { pool } = heliograph.deps;
    for (const age of ['7 days 2 hours', '6 days 23 hours', '6 days']) {
      await accept(heliograph.deps, account, {});
      await pool.query(
        `UPDATE message_changes SET created_at = now() - $2::interval
         WHERE account_id = $1 AND id = (SELECT max(id) FROM message_changes WHERE account_id = $1)`,
        [account.id, age],
      );
    }
    const [last] = await accept(heliograph.deps, account, {});
    // The changes must be settled first, because an earlier poll would return a cursor that precedes all of them.
    const startPosition = { xid: '0', id: '0', no: 0 };
    const listSettled = () => readChanges(pool, account.id, startPosition, { limit: 10, days: null });
    await waitFor('all to be settled', async () => (await listSettled()).changes.length === 4);
    const poller = new Poller(account, 1);
    await poller.pollUntil(heliograph, (received) => received.at(-1)?.message_id === last);
    expect(poller.received).toHaveLength(3);
  });

  it('a cursor of changes outlives deleted changes, which are older than every valid cursor', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { pool } = heliograph.deps;
    const [oldId] = await accept(heliograph.deps, account, {});
    const cursor = encodeCursor(await createFirstCursor(pool, account.id));
    await pool.query(`UPDATE message_changes SET created_at = now() - interval '8 days' WHERE account_id = $1`, [
      account.id,
    ]);
    const [recentId] = await accept(heliograph.deps, account, {});
    const listIds = async () =>
      (await fetchChanges(heliograph, account, `?after=${cursor}`)).data.map((change) => change.message_id);
    await waitFor('both to be received', async () => (await listIds()).length === 2);
    expect(await listIds()).toEqual([oldId, recentId]);
    await sweepChanges({ pool, now: new Date(), step: 100, isStopped: () => false });
    expect(await listIds()).toEqual([recentId]);
  });
});
