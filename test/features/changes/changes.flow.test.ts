import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeCursor } from '../../../src/features/changes/cursor.js';
import { adoptChanges, beginChangesAnew, readChanges } from '../../../src/messages/changes/changes-store.js';
import { sweepChanges } from '../../../src/messages/changes/sweep-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { beginCampaign, campaignReaches } from '../../support/campaigns.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { lookUntil, waitForStatus } from '../../support/messages.js';
import { atScale } from '../../support/run/extent.js';
import { accept, ENDS_BY_NUMBER } from '../../support/sends.js';
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

async function changes({ app }: Pick<TestApp, 'app'>, { headers }: Pick<TestAccount, 'headers'>, query = '') {
  const response = await app.inject({ url: `/v2/changes${query}`, headers });
  expect(response.statusCode, response.body).toBe(200);
  return response.json() as Answer;
}

/** Somebody who asks again and again for what came since. */
class Poller {
  readonly told: Change[] = [];
  #cursor: string | null = null;

  constructor(
    readonly of: Pick<TestAccount, 'headers'>,
    readonly limit = 1_000,
  ) {}

  async poll(test: Pick<TestApp, 'app'>): Promise<void> {
    for (;;) {
      const after = this.#cursor === null ? '' : `&after=${this.#cursor}`;
      const { data, cursor, has_more } = await changes(test, this.of, `?limit=${this.limit}${after}`);
      this.told.push(...data);
      this.#cursor = cursor;
      if (!has_more) return;
    }
  }

  /** Polls until so much was told. Other databases of the same PostgreSQL may hold it up for a moment. */
  until(test: Pick<TestApp, 'app'>, isEnough: (told: readonly Change[]) => boolean): Promise<boolean> {
    const isThere = async () => {
      await this.poll(test);
      return isEnough(this.told);
    };
    return waitFor('the changes to be told', isThere);
  }
}

const ofType = (told: readonly Change[], type: Change['type']) => told.filter((each) => each.type === type);

/** `id status` of each step that the rows of an account's messages of Surface A tell, sorted. */
async function stepsOf({ deps }: TestApp, accountId: string): Promise<string[]> {
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

  it('of every way that a message may go, each step once and after the message itself', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account } = channel;
    const send = (to: string, more: object = {}) =>
      heliograph.app.inject({
        method: 'POST',
        url: '/v2/send',
        headers: account.headers,
        payload: { from: 'Heliograph', to, message: 'Hello', ...more },
      });
    const ends: Record<string, string> = {
      ...ENDS_BY_NUMBER,
      '15005550111': 'delivered',
      '15005550005': 'sent',
    };
    const ids: Record<string, string> = {};
    for (const [to, status] of Object.entries(ends)) {
      const answer = await send(to, { reference: `to ${to}`, metadata: { to } });
      ids[to] = answer.json().data[0].message_id;
      await waitForStatus(heliograph, [ids[to] as string], status);
    }
    const plain = await accept(heliograph.deps, account, { to: '15005550112' });
    await waitForStatus(heliograph, plain, 'delivered');
    const whatsapp = { from: channel.phoneNumber, channel: 'whatsapp' };
    await send('15005550002', { ...whatsapp, fallback: { channel: 'sms', from: 'Shop' } });
    const later = await send('15005550111', {
      scheduled_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    });
    const url = `/v2/messages/${later.json().data[0].message_id}/cancel`;
    expect((await heliograph.app.inject({ method: 'POST', url, headers: account.headers })).statusCode).toBe(200);
    await playInbound(heliograph, channel, { from: '15005550111', text: 'Hello you' });
    clock.advance(5 * 24 * 3_600_000);
    await lookUntil(heliograph, ids['15005550005'] as string, 'expired');
    await waitFor('the fallback to have ended', async () => {
      const rows = await heliograph.deps.prisma.message.findMany({ where: { accountId: account.id } });
      return rows.length === 11 && rows.every(({ status }) => !['queued', 'sending', 'sent'].includes(status));
    });

    const steps = await stepsOf(heliograph, account.id);
    const poller = new Poller(account, 3);
    await poller.until(heliograph, (told) => told.length >= 11 + steps.length + 1);
    const statuses = ofType(poller.told, 'status');
    expect(statuses.map((each) => `${each.message_id} ${each.status}`).sort()).toEqual(steps);
    const seen = new Set<string>();
    for (const { type, message_id } of poller.told) {
      if (type === 'message') seen.add(message_id);
      if (type === 'status') expect(seen).toContain(message_id);
    }
    expect(seen.size).toBe(11);
    expect(ofType(poller.told, 'inbound')).toMatchObject([{ inbound: { from: '15005550111', message: 'Hello you' } }]);
    const refused = statuses.find(({ message_id }) => message_id === ids['15005550001']);
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: expect.any(String) },
      reference: 'to 15005550001',
      metadata: { to: '15005550001' },
    });
    const read = statuses.filter(({ message_id }) => message_id === ids['15005550006']);
    expect(read.map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
    const [first] = poller.told;
    const shown = await heliograph.app.inject({ url: `/v2/messages/${first?.message_id}`, headers: account.headers });
    const { parts, fallback, fallback_of, ...entry } = shown.json().data;
    expect(first).toMatchObject({ type: 'message', message: entry });
  });

  it('are those of Surface A and of the account alone', async () => {
    const { id, channel } = await beginCampaign(heliograph, 2);
    const sms = await accept(heliograph.deps, channel.account, {});
    await campaignReaches(heliograph, channel, id, 'completed');
    await waitForStatus(heliograph, sms, 'delivered');
    const poller = new Poller(channel.account);
    await poller.until(heliograph, (told) => told.length >= 3);
    expect(poller.told.map(({ message_id }) => message_id)).toEqual([sms[0], sms[0], sms[0]]);
    const stranger = await createTestAccount(heliograph.deps);
    expect((await changes(heliograph, stranger)).data).toEqual([]);
  });

  it('of several processes that write at once are told each once, whenever they are asked for', async () => {
    const account = await createTestAccount(heliograph.deps);
    const second = await testApp({ beside: heliograph, clock });
    onTestFinished(() => second.close());
    const poller = new Poller(account, 50);
    const ids: string[] = [];
    let isSending = true;
    const sends = [heliograph, second].map(async (test, which) => {
      for (let round = 0; round < 20; round += 1) {
        const to = Array.from({ length: 5 }, (_, index) => String(15005560000 + index));
        ids.push(...(await accept(test.deps, account, { to, key: which === 0 ? `round ${round}` : undefined })));
      }
    });
    const polling = (async () => {
      while (isSending) await poller.poll(second);
    })();
    await Promise.all(sends);
    isSending = false;
    await polling;
    await waitForStatus(heliograph, ids, 'delivered');
    await poller.until(second, (told) => told.length >= 3 * ids.length);
    expect(
      ofType(poller.told, 'message')
        .map((each) => each.message_id)
        .sort(),
    ).toEqual(ids.sort());
    const statuses = ofType(poller.told, 'status').map((each) => `${each.message_id} ${each.status}`);
    expect(statuses.sort()).toEqual(await stepsOf(heliograph, account.id));
  }, 120_000);

  it('a large request that commits after later requests is never missed', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000_000n });
    const second = await testApp({ beside: heliograph, clock });
    onTestFinished(() => second.close());
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
      // Held for longer than a request has patience, it is answered that nobody knows: its repetition tells what it made.
      const ask = () => accept(heliograph.deps, account, { to, key: 'large' });
      const large = ask().catch(() => null);
      await waitFor('the large request to be held', async () => {
        const { rows } = await holder.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lock}`,
        );
        return rows.length === 1;
      });
      const pollers = [new Poller(account), new Poller(account, 333)];
      const singles: string[] = [];
      for (const test of [heliograph, second, heliograph]) {
        singles.push(...(await accept(test.deps, account, {})));
        await Promise.all(pollers.map((poller) => poller.poll(second)));
      }
      await waitForStatus(heliograph, singles, 'delivered');
      await Promise.all(pollers.map((poller) => poller.poll(heliograph)));
      // What began after the large request is told no sooner.
      expect(pollers.flatMap(({ told }) => told)).toEqual([]);
      await holder.query(`SELECT pg_advisory_unlock(${lock})`);
      const ids = [...((await large) ?? (await ask())), ...singles];
      for (const poller of pollers) {
        await poller.until(second, (told) => ofType(told, 'message').length >= ids.length);
        expect(
          ofType(poller.told, 'message')
            .map((each) => each.message_id)
            .sort(),
        ).toEqual(ids.sort());
      }
    } finally {
      await holder.query('SELECT pg_advisory_unlock_all()');
      await holder.query('DROP TRIGGER hold ON messages');
      await holder.end();
    }
  }, 120_000);
});

/** Before all changes of an account, as a cursor that somebody has kept. */
async function placeBefore(pool: pg.Pool, accountId: string) {
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
  const edited = (cursor: string, edit: (parts: string[]) => void) => {
    const parts = decode(cursor);
    edit(parts);
    return Buffer.from(parts.join('.')).toString('base64url');
  };

  it('of now lies behind all that has happened, and stays good while nothing does', async () => {
    const account = await createTestAccount(heliograph.deps);
    await accept(heliograph.deps, account, {});
    await waitFor('the first to be told', async () => (await changes(heliograph, account)).data.length === 1);
    const now = await changes(heliograph, account, '?after=now');
    expect(now).toMatchObject({ data: [], has_more: false, kept_since: expect.any(String) });
    const again = await changes(heliograph, account, `?after=${now.cursor}`);
    expect(again.data).toEqual([]);
    const [id] = await accept(heliograph.deps, account, {});
    for (const { cursor } of [now, again]) {
      const next = await waitFor('the next to be told', async () => {
        const answer = await changes(heliograph, account, `?after=${cursor}`);
        return answer.data.length > 0 && answer;
      });
      expect(next.data.map(({ message_id }) => message_id)).toEqual([id]);
    }
  });

  it('that is none is refused, and so is a limit out of bounds', async () => {
    const account = await createTestAccount(heliograph.deps);
    for (const after of ['x', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', Buffer.from('1.2.3').toString('base64url')]) {
      expect(await ask(account, after)).toEqual([400, 'after']);
    }
    for (const limit of ['0', '1001', 'x']) {
      const response = await heliograph.app.inject({ url: `/v2/changes?limit=${limit}`, headers: account.headers });
      expect(response.statusCode).toBe(400);
    }
  });

  it('that is too old, or of another store, is gone', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { cursor } = await changes(heliograph, account);
    const old = edited(cursor, (parts) => {
      parts[5] = String(Date.now() - 7.125 * 24 * hour - 60_000);
    });
    const foreign = edited(cursor, (parts) => {
      parts[1] = '1';
    });
    const ahead = edited(cursor, (parts) => {
      parts[2] = '900000000000000000';
    });
    for (const each of [old, foreign, ahead]) expect(await ask(account, each)).toEqual([410, 'after']);
    const [, store = '', xid = '', id = ''] = decode(cursor);
    const young = writeCursor({ store, xid, id, no: 0, at: new Date(Date.now() - 7 * 24 * hour - 2 * hour) });
    expect((await ask(account, young))[0]).toBe(200);
  });

  it('leads on in a store whose transactions have begun anew', async () => {
    const account = await createTestAccount(heliograph.deps);
    const before = await accept(heliograph.deps, account, { to: ['15005550101', '15005550102'] });
    const { pool } = heliograph.deps;
    // As a copy from a PostgreSQL that has done more than this one.
    await pool.query('UPDATE message_changes SET xid = xid + 1000000000000 WHERE account_id = $1', [account.id]);
    await pool.query('UPDATE change_history SET cluster = 1');
    const rows = async () =>
      (await pool.query('SELECT ctid, * FROM message_changes WHERE account_id = $1 ORDER BY id', [account.id])).rows;
    const found = await rows();
    await adoptChanges(pool);
    await adoptChanges(pool);
    // There may be millions: a start that rewrote them would not come to an end.
    expect(await rows()).toEqual(found);
    const poller = new Poller(account);
    await poller.poll(heliograph);
    expect(poller.told.map(({ message_id }) => message_id)).toEqual(before);
    const after = await accept(heliograph.deps, account, {});
    await poller.until(heliograph, (told) => told.length === 3);
    expect(poller.told.at(-1)?.message_id).toBe(after[0]);
    // Once more elsewhere, and what was made in between is in its place.
    await pool.query('UPDATE change_history SET cluster = 1');
    await adoptChanges(pool);
    const again = await accept(heliograph.deps, account, {});
    const anew = new Poller(account);
    await anew.until(heliograph, (told) => told.length === 4);
    expect(anew.told.map(({ message_id }) => message_id)).toEqual([...before, ...after, ...again]);
  });

  it('is gone once its store was filled from a backup, and those of the new one are gone with the next', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { pool } = heliograph.deps;
    const { cursor: first } = await changes(heliograph, account);
    await beginChangesAnew(pool);
    expect(await ask(account, first)).toEqual([410, 'after']);
    const { cursor: second } = await changes(heliograph, account);
    expect((await ask(account, second))[0]).toBe(200);
    // In another PostgreSQL, from where its copy may come back here.
    await pool.query('UPDATE change_history SET cluster = 1');
    await adoptChanges(pool);
    for (const each of [first, second]) expect(await ask(account, each)).toEqual([410, 'after']);
    await pool.query('UPDATE change_history SET epoch = NULL');
  });

  it('of a page from the beginning leads on, also beside changes that are about to be swept', async () => {
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
    // A poller that came before they are settled would have a cursor in front of all of them.
    const beginning = { xid: '0', id: '0', no: 0 };
    const settled = () => readChanges(pool, account.id, beginning, { limit: 10, days: null });
    await waitFor('all to be settled', async () => (await settled()).changes.length === 4);
    const poller = new Poller(account, 1);
    await poller.until(heliograph, (told) => told.at(-1)?.message_id === last);
    expect(poller.told).toHaveLength(3);
  });

  it('outlives what is swept, which is older than every cursor', async () => {
    const account = await createTestAccount(heliograph.deps);
    const { pool } = heliograph.deps;
    const [old] = await accept(heliograph.deps, account, {});
    const cursor = writeCursor(await placeBefore(pool, account.id));
    await pool.query(`UPDATE message_changes SET created_at = now() - interval '8 days' WHERE account_id = $1`, [
      account.id,
    ]);
    const [young] = await accept(heliograph.deps, account, {});
    const told = async () =>
      (await changes(heliograph, account, `?after=${cursor}`)).data.map((each) => each.message_id);
    await waitFor('both to be told', async () => (await told()).length === 2);
    expect(await told()).toEqual([old, young]);
    await sweepChanges({ pool, now: new Date(), step: 100, stopped: () => false });
    expect(await told()).toEqual([young]);
  });
});
