import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { createTestDatabase, type TestDatabase } from '../support/store/databases.js';
import { waitFor } from '../support/wait-for.js';
import { type LastRelease, unpackLastRelease } from './last-release.js';
import { Load } from './load.js';

const FINAL = ['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled'];
const SMS_TO = '15005550100,15005550101';
const OPTED_OUT = '15005550177';
const MEMBERS = ['15005550121', '15005550122', '15005550123'];
const SOON_MS = 10_000;

interface Keys {
  surfaceA: { apiKey: string };
  surfaceB: { apiKey: string; apiSecret: string; channelId: string };
}

let release: LastRelease;
let database: TestDatabase;
let store: pg.Pool;
let dataDir: string;
let keys: Keys;
let sink: Server;
/** Message ID and status of each event that the webhook received. */
const reported: string[] = [];
const acceptedIds: string[] = [];
const expectedIds: string[] = [];
const running: ServerProcess[] = [];

beforeAll(async () => {
  release = await unpackLastRelease();
  database = await createTestDatabase({ empty: true });
  store = new pg.Pool({ connectionString: database.url, max: 2 });
  dataDir = mkdtempSync(join(tmpdir(), 'heliograph-upgrade-'));
  sink = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    if (type === 'message.status') reported.push(`${data.messageId} ${data.status}`);
    response.end();
  }).listen(0, '127.0.0.1');
});

afterAll(async () => {
  await Promise.all(running.map((server) => server.stop('SIGKILL')));
  sink?.close();
  await store?.end();
  await database?.drop();
  for (const folder of [release?.folder, dataDir]) if (folder) rmSync(folder, { recursive: true, force: true });
});

async function start(oldRelease?: LastRelease, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess({
    release: oldRelease?.folder,
    settings: {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_SECOND: '0',
      SIMULATOR_DELAY_MS: '20',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...settings,
    },
  });
  running.push(server);
  return server;
}

async function call<T>(server: ServerProcess, path: string, body?: unknown): Promise<T> {
  const { surfaceA, surfaceB } = keys;
  const credentials: Record<string, string> = path.startsWith('/v')
    ? { authorization: `Bearer ${surfaceA.apiKey}` }
    : { 'x-api-key': surfaceB.apiKey, 'x-api-secret': surfaceB.apiSecret, 'x-channel-id': surfaceB.channelId };
  const response = await fetch(server.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...credentials, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

interface SendResponse {
  data: { message_id: string }[];
}

async function send(server: ServerProcess): Promise<void> {
  const [from, message] = ['Upgrade', 'Still there?'];
  const sms = await call<SendResponse>(server, '/v1.0/sms/send', { from, to: SMS_TO, message });
  acceptedIds.push(...sms.data.map(({ message_id: id }) => id));
  const whatsappSend = { from: '15005550100', to: '15005550102', message, channel: 'whatsapp' };
  const response = await call<SendResponse>(server, '/v2/send', whatsappSend);
  for (const { message_id: id } of response.data) {
    acceptedIds.push(id);
    expectedIds.push(id);
  }
}

async function fillStore(server: ServerProcess): Promise<void> {
  const { port } = sink.address() as AddressInfo;
  await call(server, '/api/v1/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['message.status'] });
  await call(server, '/simulator/v1/inbound', { from: OPTED_OUT, text: 'STOP' });
  await call(server, '/api/v1/templates', {
    name: 'upgrade_note',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'The night is short.' }],
  });
  const group = await call<{ data: { id: string } }>(server, '/api/v1/contacts/groups', { name: 'Upgraded' });
  for (const phone of MEMBERS) {
    const contact = await call<{ data: { id: string } }>(server, '/api/v1/contacts', { phone });
    await call(server, `/api/v1/contacts/groups/${group.data.id}/add`, { contactId: contact.data.id });
  }
  await call(server, '/api/v1/campaigns', {
    name: 'Begins under the next version',
    templateName: 'hello_world',
    language: 'en_US',
    groupId: group.data.id,
    scheduledAt: new Date(Date.now() + SOON_MS).toISOString(),
  });
  const scheduled = {
    from: 'Upgrade',
    to: '15005550100',
    message: 'Later',
    scheduled_at: new Date(Date.now() + SOON_MS).toISOString(),
  };
  for (let n = 0; n < 3; n += 1) await call(server, '/v2/send', scheduled);
}

async function queryRows<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
  return (await store.query<T>(sql, values)).rows;
}

async function waitUntilAllFinal(): Promise<void> {
  const areFinal = async () => {
    const [open] = await queryRows<{ count: number }>(
      'SELECT count(*)::int AS count FROM messages WHERE status <> ALL ($1::message_status[])',
      [FINAL],
    );
    return open?.count === 0;
  };
  await waitFor('every message to be final', areFinal);
}

/** Expects that every accepted message exists once, is final, and was charged and reported once. */
async function expectWholeStore(): Promise<void> {
  await waitUntilAllFinal();
  expect(new Set(acceptedIds).size).toBe(acceptedIds.length);
  const messages = await queryRows<{ id: string; status: string; maybe_accepted: boolean }>(
    'SELECT id, status, maybe_accepted FROM messages WHERE id = ANY ($1)',
    [acceptedIds],
  );
  expect(messages).toHaveLength(acceptedIds.length);
  // A stopping process returns messages that it has not submitted, so no message may have been submitted twice.
  expect(messages.filter((message) => message.status !== 'delivered' || message.maybe_accepted)).toEqual([]);
  expect(
    await queryRows(
      `SELECT a.name FROM accounts a WHERE balance_micros <>
         (SELECT sum(amount_micros) FROM ledger_entries WHERE account_id = a.id)`,
    ),
  ).toEqual([]);
  expect(
    await queryRows(
      `SELECT (SELECT sum(message_count) FROM ledger_entries WHERE kind = 'charge')::int AS charged,
         (SELECT -sum(amount_micros) FROM ledger_entries WHERE kind IN ('charge', 'refund'))::int AS paid`,
    ),
  ).toEqual(
    await queryRows(
      // The demo account starts with messages that cost nothing.
      `SELECT count(*) FILTER (WHERE price_micros > 0)::int AS charged,
         (sum(price_micros) FILTER (WHERE NOT refunded))::int AS paid FROM messages`,
    ),
  );
  await waitFor('the webhook to receive every message', () => {
    const delivered = new Set(reported.filter((line) => line.endsWith(' delivered')).map((line) => line.split(' ')[0]));
    return expectedIds.every((id) => delivered.has(id));
  });
  expect(reported.filter((line, index) => reported.indexOf(line) !== index)).toEqual([]);
}

describe('an upgrade of a filled store', () => {
  const load = new Load(send);

  it('runs while processes of the last release accept and send, and loses nothing', async () => {
    const oldServer = await start(release, { SEED_DEMO: 'true' });
    keys = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
    load.servers = [oldServer];
    await fillStore(oldServer);
    load.start();
    await load.waitForMore(oldServer, 10);

    const countBefore = acceptedIds.length;
    const newServer = await start();
    expect(newServer.output()).toMatch(/The database was migrated in .*messages_number_index/);
    expect(acceptedIds.length).toBeGreaterThan(countBefore);
    load.servers = [oldServer, newServer];
    await Promise.all([load.waitForMore(oldServer, 10), load.waitForMore(newServer, 10)]);
    // Opt-outs stored by the old version still apply.
    await call(newServer, '/api/v1/messages/template', {
      to: OPTED_OUT,
      templateName: 'hello_world',
      language: 'en_US',
    }).catch(() => undefined);

    await load.handOver(oldServer, [newServer]);
    await load.waitForMore(newServer, 10);
    const areSent = async () => {
      const [counts] = await queryRows<{ sent: number }>(
        `SELECT count(*)::int AS sent FROM messages
         WHERE status = 'delivered' AND (scheduled_at IS NOT NULL OR recipient = ANY ($1))`,
        [MEMBERS],
      );
      return (counts?.sent ?? 0) >= 6;
    };
    await waitFor('the messages scheduled by the old version to be sent', areSent);
    const refused = async () => queryRows('SELECT status FROM messages WHERE recipient = $1', [OPTED_OUT]);
    await waitFor('the message to the opted-out contact to be refused', async () =>
      (await refused()).every(({ status }) => !['queued', 'sending'].includes(status)),
    );
    expect(await refused()).toEqual([{ status: 'rejected' }]);
  });

  it('can be undone: a process of the last release continues with the store', async () => {
    const [newServer] = load.servers;
    const oldServer = await start(release, { ALLOW_NEWER_STORE: 'true' });
    expect(oldServer.output()).toMatch(/A later version .*migrated this database/);
    load.servers = [newServer as ServerProcess, oldServer];
    await load.waitForMore(oldServer, 10);
    await load.handOver(newServer as ServerProcess, [oldServer]);
    await load.waitForMore(oldServer, 10);
    await load.stop();
    await expectWholeStore();
  });
});
