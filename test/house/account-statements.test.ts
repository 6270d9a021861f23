import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { partitionByAccount } from '../../scripts/lib/by-account/distribute.mjs';
import {
  findCheapLocations,
  isOnMessagePath,
  listCostlyStatements,
  readList,
} from '../../scripts/lib/by-account/list.mjs';
import { ACCOUNTS, routeStatements } from '../../scripts/lib/by-account/routes.mjs';
import { findTables } from '../../scripts/lib/by-account/sources.mjs';
import { addAccountWebhook } from '../features/webhooks/setup.js';
import { openSink } from '../features/webhooks/sink.js';
import { bindSends, HELLO, playInbound } from '../support/channel-calls.js';
import { addTemplate } from '../support/channel-contents.js';
import { createTestChannel } from '../support/channels.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { createTestDatabase } from '../support/store/databases.js';
import { type RecordedStatement, recordStatements } from '../support/store/recorder.js';
import { testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

// The tests create two hundred tables and open an application, which takes long on a busy machine.
async function withPartitionedDatabase<T>(
  work: (client: pg.Client, tables: Awaited<ReturnType<typeof partitionByAccount>>) => Promise<T>,
) {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    return await work(client, await partitionByAccount(client));
  } finally {
    await client.end();
    await database.drop();
  }
}

it('finds the tables that the statements of a file query', async () => {
  const source = `
    const one = 'SELECT * FROM things WHERE id = $1';
    const two = \`UPDATE "others" t SET a = \${value} WHERE t.account_id = $1\`;
    const three = 'things from elsewhere';`;
  expect(await findTables(source, new Set(['things', 'others', 'elsewhere_too']))).toEqual(['others', 'things']);
});

it('derives from the plan which shards a statement reaches', async () => {
  const [account = '', otherAccount = ''] = ACCOUNTS;
  const record = (text: string, ...values: (string | null)[]) => ({ path: 'src/a.ts', text, values });
  const statements = {
    one: [record('SELECT * FROM messages WHERE account_id = $1 AND id = ANY($2::uuid[])', account, `{${account}}`)],
    joined: [record('SELECT FROM accounts a JOIN messages m ON m.account_id = a.id WHERE a.id = $1', account)],
    each: [record('UPDATE messages SET status = $1 WHERE id = $2', 'sent', account)],
    together: [record('SELECT FROM messages m JOIN channels c ON c.id = m.channel_id AND c.account_id = m.account_id')],
    across: [record('SELECT FROM messages m JOIN channels c ON c.id = m.channel_id WHERE m.account_id = $1', account)],
    several: [record('SELECT FROM messages WHERE account_id = ANY($1::uuid[])', `{${account},${otherAccount}}`)],
    rows: [
      record('INSERT INTO channels (account_id) SELECT * FROM unnest($1::uuid[])', `{${account},${otherAccount}}`),
    ],
    key: [record('INSERT INTO accounts (id) VALUES ($1) ON CONFLICT (name) DO NOTHING', account)],
    'no-account': [record('DELETE FROM message_tries WHERE message_id = $1', account)],
    none: [record('SELECT * FROM carriers WHERE id = $1', account)],
    unknown: [record('SELECT * FROM messages WHERE account_id = $1', null)],
  };
  const routes = await withPartitionedDatabase(async (client, tables) => {
    expect(tables.partitioned).toEqual(expect.arrayContaining(['accounts', 'messages', 'channels', 'webhooks']));
    expect(tables.withoutAccount).toEqual(expect.arrayContaining(['message_tries', 'webhook_deliveries']));
    expect(tables.keysWithoutAccount).toContain('messages_pkey');
    const foundRoutes: [string, string[]][] = [];
    for (const [name, recorded] of Object.entries(statements)) {
      foundRoutes.push([name, (await routeStatements(client, tables, recorded)).map(({ route }) => route)]);
    }
    return Object.fromEntries(foundRoutes);
  });
  expect(routes).toEqual({
    one: ['one'],
    joined: ['one'],
    each: ['each'],
    together: ['each'],
    across: ['across'],
    several: ['several'],
    rows: ['rows'],
    key: ['key'],
    'no-account': ['no-account'],
    none: [],
    unknown: ['unknown'],
  });
});

it('the list contains every statement that reaches every shard, from the request to the webhook', async () => {
  const recordedStatements: RecordedStatement[] = [];
  const stopRecording = recordStatements((statement) => recordedStatements.push(statement));
  try {
    await runRequests();
  } finally {
    stopRecording();
  }
  const routed = (
    await withPartitionedDatabase((client, tables) => routeStatements(client, tables, recordedStatements))
  ).filter(isOnMessagePath);
  for (const path of ['accept/accept-store', 'send/send-store', 'status/status-store', 'queue/relay/relay-store']) {
    expect(routed.map((statement) => statement.path)).toContain(`src/messages/${path}.ts`);
  }
  const list = readList();
  const advice = 'node scripts/explain-by-account.mjs FOLDER --write';
  const known = new Set(list.map(({ location }) => location));
  // Statements recorded only with empty lists are ignored, because values may decide which shards a statement reaches.
  const unknown = listCostlyStatements(routed).filter(
    ({ route, location }) => route !== 'unknown' && !known.has(location),
  );
  expect(unknown, `not in the list; ${advice}`).toEqual([]);
  const cheapLocations = findCheapLocations(routed);
  const fixed = list.filter(({ location, coversAll }) => coversAll && cheapLocations.has(location));
  expect(fixed, `no longer costly; ${advice}`).toEqual([]);
  expect(list.filter(({ path }) => !existsSync(join(PROJECT_FOLDER, path)))).toEqual([]);
  const page = readFileSync(join(PROJECT_FOLDER, 'docs/develop/internals.md'), 'utf8');
  expect(list.filter(({ path }) => !page.includes(basename(path)))).toEqual([]);
});

async function runRequests(): Promise<void> {
  const sink = await openSink();
  const heliograph = await testApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  try {
    const channel = await createTestChannel(heliograph.deps);
    await addTemplate(heliograph, channel, { name: HELLO.templateName });
    await addAccountWebhook(heliograph, channel.account, sink.url);
    const { message_id: sms } = await sendSms(heliograph, channel.account);
    const template = await bindSends(heliograph, channel).sendTemplate(HELLO);
    expect(template.statusCode, template.body).toBe(200);
    const inbound = await playInbound(heliograph, channel, { from: HELLO.to, text: 'Hello' });
    expect(inbound.statusCode, inbound.body).toBe(200);
    const payload = {
      ...{ from: channel.phoneNumber, to: '15005550001', channel: 'whatsapp', message: 'Hello' },
      fallback: { channel: 'sms', from: 'Shop', message: 'By SMS' },
    };
    const { headers } = channel.account;
    const refused = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
    expect(refused.statusCode, refused.body).toBe(200);
    const { message_id: failing } = refused.json().data[0];
    await waitForStatus(heliograph, [sms], 'delivered');
    await waitFor('the fallback to be accepted', async () => {
      const view = await heliograph.app.inject({ url: `/v2/messages/${failing}`, headers });
      return view.json().data.fallback.state === 'accepted';
    });
    await waitFor('the webhook', async () => sink.received.some(({ body }) => body.includes(sms)));
  } finally {
    await heliograph.close();
    await sink.close();
  }
}
