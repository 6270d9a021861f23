import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallLog } from '../../../src/carriers/http/call-log.js';
import { findCalls } from '../../../src/carriers/http/call-store.js';
import type { HttpExchange } from '../../../src/carriers/http/client.js';
import { MAX_STORED_CALLS, sweepCalls } from '../../../src/carriers/http/sweep-store.js';
import { newId } from '../../../src/platform/ids.js';
import { run, runJson } from '../../cli/run.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, suiteMeta } from '../whatsapp-cloud/meta-channel.js';

const { stub, heliograph, channel } = suiteMeta({ settings: { SEND_WAIT_MS: '20000' } });
let viewer: TestOperator;

beforeAll(async () => {
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  const template = { id: '1', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
  stub.templates.push({ ...template, components: [{ type: 'BODY', text: 'Hello' }] });
  viewer = await createTestOperator(heliograph, { role: 'viewer' });
});
beforeEach(async () => {
  stub.fault = () => null;
  await heliograph.deps.pool.query('DELETE FROM carrier_calls');
});

const send = async (to: string) =>
  (
    await call(heliograph, channel, 'POST', '/messages/template', {
      to,
      templateName: 'hello_world',
      language: 'en_US',
    })
  ).json();

interface CallPage {
  data: Record<string, unknown>[];
  next: string | null;
}
const listCalls = async (query = ''): Promise<CallPage> =>
  (await viewer.ask('GET', `/carriers/${CARRIER}/calls${query}`)).json();
const waitForCalls = (count: number, query = '') =>
  waitFor(`${count} calls to be logged`, async () => {
    const page = await listCalls(query);
    return page.data.length === count && page;
  });

describe('logged calls of an HTTP carrier', () => {
  it('logged calls contain request and response, but no secrets', async () => {
    const { data: message } = await send('15005550301');
    const { data: calls } = await waitForCalls(1);
    expect(calls[0]).toMatchObject({
      ...{ messageId: message.messageId, accountId: channel.account.id, method: 'POST', status: 200, failed: false },
      ...{ request: expect.stringContaining('"to":"+15005550301"'), answer: expect.stringContaining('wamid.') },
      ...{ failure: null, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v[\d.]+\/\d+\/messages$/) },
    });
    const { rows } = await heliograph.deps.pool.query('SELECT c::text FROM carrier_calls c');
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${stub.token}|${stub.appSecret}|Bearer`));
  });

  it('logged calls show each attempt to send a message, with its error', async () => {
    let attempts = 0;
    stub.fault = () => {
      attempts += 1;
      return attempts === 1 ? new MetaRefusal(131_000, 'Something went wrong', { status: 500 }) : null;
    };
    const response = await send('15005550302');
    const { data: calls } = await waitForCalls(2, `?messageId=${response.data.messageId}`);
    expect(calls.map(({ status, failed }) => [status, failed])).toEqual([
      [200, false],
      [500, true],
    ]);
    expect(calls[1]?.answer).toContain('131000');
    expect((await listCalls('?status=failed')).data).toEqual([calls[1]]);
    expect((await listCalls('?limit=1')).data).toEqual([calls[0]]);
    expect((await listCalls(`?limit=1&cursor=${calls[0]?.id}`)).data).toEqual([calls[1]]);
  });

  it('logged calls are listed by `heliograph carrier calls`', async () => {
    const { data } = await send('15005550303');
    await waitForCalls(1);
    const env = { DATABASE_URL: heliograph.databaseUrl };
    const { stdout } = await run(env, 'carrier', 'calls', CARRIER);
    expect(stdout).toMatch(
      /^\d{4}-.*Z {2}POST http.*\/messages {2}200 in \d+ ms {2}message [0-9a-f-]{36}\n {2}> \{.*\n {2}< \{/,
    );
    expect(await runJson(env, 'carrier', 'calls', CARRIER, '--message', data.messageId)).toMatchObject([
      { status: 200 },
    ]);
    expect((await run(env, 'carrier', 'calls', CARRIER, '--failed')).stdout).toBe(
      `No calls to ${CARRIER} are recorded.\n`,
    );
    expect((await run(env, 'carrier', 'calls', 'nobody')).code).toBe(1);
    expect((await run(env, 'carrier', 'calls', CARRIER, '--message', 'x')).stderr).toContain('--message');
  });

  it('logged calls are listed only for an existing carrier and with valid filters', async () => {
    expect((await viewer.ask('GET', '/carriers/nobody/calls')).statusCode).toBe(404);
    expect((await viewer.ask('GET', '/carriers/simulator/calls')).json()).toEqual({ data: [], next: null });
    for (const query of ['status=lost', 'messageId=1', 'cursor=1', 'limit=0']) {
      expect((await viewer.ask('GET', `/carriers/${CARRIER}/calls?${query}`)).statusCode, query).toBe(400);
    }
    const { account } = channel;
    const otherOperator = await createTestOperator(heliograph, { role: 'owner', accountId: account.id });
    expect((await otherOperator.ask('GET', `/carriers/${CARRIER}/calls`)).statusCode).toBe(403);
  });
});

describe('CallLog', () => {
  const createExchange = (overrides: Partial<HttpExchange> = {}): HttpExchange => ({
    call: { method: 'GET', url: new URL('https://example.com/') },
    ...{
      content: null,
      answer: { status: 200, headers: {}, text: '{}' },
      failure: null,
      milliseconds: 1.6,
      ...overrides,
    },
  });
  const logAndRead = async (recordCalls: (log: CallLog) => void, pool: pg.Pool = heliograph.deps.pool) => {
    const log = new CallLog({ pool, log: pino({ level: 'silent' }), clock: heliograph.deps.clock });
    recordCalls(log);
    await log.close();
    return findCalls(heliograph.deps.prisma, 'other', {}, { limit: 1_000, before: null });
  };

  it('the call log truncates long texts, and removes characters that PostgreSQL cannot store', async () => {
    const [loggedCall] = await logAndRead((log) =>
      log
        .createSink('other', [])
        .record(createExchange({ content: 'x'.repeat(3_000), answer: { status: 302, headers: {}, text: 'a\0b' } })),
    );
    expect(loggedCall).toMatchObject({ answer: 'ab', milliseconds: 2, failed: true });
    expect(loggedCall?.request).toBe(`${'x'.repeat(2_048)}… (952 more characters)`);
  });

  it('the call log keeps at most a hundred calls and a hundred failed calls per second', async () => {
    const loggedCalls = await logAndRead((log) => {
      const sink = log.createSink('other', []);
      // Freezes the clock, so that all calls are made within one second.
      const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
      try {
        for (let count = 0; count < 500; count++) sink.record(createExchange());
        for (let count = 0; count < 500; count++) sink.record(createExchange({ answer: null, failure: 'TIMEOUT' }));
      } finally {
        now.mockRestore();
      }
    });
    const failedCount = loggedCalls.filter((call) => call.failed).length;
    expect([failedCount, loggedCalls.length - failedCount]).toEqual([100, 100]);
  });

  it('the call log does not log a call whose message was already erased', async () => {
    const { data } = await send('15005550304');
    const { messageId } = data;
    const url = new URL('https://example.com/');
    const recordCall = (log: CallLog) =>
      log.createSink('other', []).record(createExchange({ call: { method: 'POST', url, messageId } }));
    expect(await logAndRead(recordCall)).toMatchObject([{ messageId }]);
    await heliograph.deps.pool.query("UPDATE messages SET recipient = '1' WHERE id = $1", [messageId]);
    expect(await logAndRead(recordCall)).toHaveLength(1);
  });

  it('the call log drops the newest calls while the database is unavailable, without blocking', async () => {
    const unavailablePool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/nothing' });
    const droppedCounts: unknown[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void droppedCounts.push(JSON.parse(line).calls) });
    const calls = new CallLog({ pool: unavailablePool, log, clock: heliograph.deps.clock });
    for (let carrier = 0; carrier < 50; carrier++) {
      const sink = calls.createSink(`c${carrier}`, []);
      for (let count = 0; count < 100; count++) sink.record(createExchange());
    }
    await calls.close();
    await unavailablePool.end();
    expect(droppedCounts).toEqual([5_000]);
  });

  it('the call log deletes calls after a week, and all but the newest ten thousand of a kind', async () => {
    const { pool, prisma, clock } = heliograph.deps;
    await pool.query(
      `INSERT INTO carrier_calls (id, carrier, at, milliseconds, method, url, failed)
       SELECT ('0192f0c1-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'other', now(), 1, 'GET', 'https://a.example', false
       FROM generate_series(1, $1) n`,
      [MAX_STORED_CALLS + 5],
    );
    await prisma.carrierCall.create({
      data: {
        ...{ id: newId(), carrier: 'other', at: new Date(clock.now().getTime() - 7 * 86_400_000 - 1_000) },
        ...{ milliseconds: 1, method: 'GET', url: 'https://old.example', failed: true },
      },
    });
    await sweepCalls({ pool, now: clock.now(), step: 2, isStopped: () => false });
    const { rows } = await pool.query(
      "SELECT count(*)::int AS count, min(id::text) AS oldest FROM carrier_calls WHERE carrier = 'other'",
    );
    expect(rows).toEqual([{ count: MAX_STORED_CALLS, oldest: '0192f0c1-0000-7000-8000-000000000006' }]);
  });
});
