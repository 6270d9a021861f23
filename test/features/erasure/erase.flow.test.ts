import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { newId } from '../../../src/platform/ids.js';
import { run } from '../../cli/run.js';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import { createCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const ADA = '447700900123';
const BOB = '447700900777';
/** Word that occurs in every text by or about Ada, and in no other text. */
const SECRET = 'lovelace';
/** Message ID in Meta's format, which contains the contact's number. */
const WAMID = `wamid.${Buffer.from(`\u0001${ADA}\u0002`).toString('base64')}`;

const heliograph = suiteApp();
let channel: TestChannel;
let groupId: string;
const sentIds: string[] = [];
let scheduledId: string;
let dryRunCounts: Record<string, number>;
let stateBefore: { bob: unknown; sums: unknown; prices: unknown };

const requireOk = async <T extends { statusCode: number; body: string; json(): unknown }>(request: Promise<T>) => {
  const response = await request;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${response.body}`);
  return response.json() as never as { data: Record<string, string> };
};
const postSurfaceA = (url: string, payload: object, headers: Record<string, string> = {}) =>
  heliograph.app.inject({ method: 'POST', url, headers: { ...channel.account.headers, ...headers }, payload });
const findId = (response: { data: Record<string, string> }) =>
  JSON.stringify(response).match(/[0-9a-f-]{36}/)?.[0] as string;
const postSurfaceB = (path: string, payload: object) => requireOk(call(heliograph, channel, 'POST', path, payload));

async function createTraces(phone: string, word: string): Promise<void> {
  const db = heliograph.deps.prisma;
  const owner = await createTestOperator(heliograph);
  const account = `/accounts/${channel.account.id}`;
  const { data: contact } = await postSurfaceB('/contacts', { phone, name: word, email: `${word}@example.com` });
  await requireOk(call(heliograph, channel, 'PUT', `/contacts/${contact.id}`, { name: `${word} king` }));
  await postSurfaceB(`/contacts/groups/${groupId}/add`, { contactId: contact.id });
  await call(heliograph, channel, 'GET', `/contacts/${phone}`);
  const inbound = { from: phone, text: `I am ${word}`, id: phone === ADA ? WAMID : undefined };
  await requireOk(playInbound(heliograph, channel, inbound));
  await postSurfaceB('/messages/reply', { to: phone, message: `Hello ${word}` });
  const extras = { reference: `${word}-7`, metadata: { who: word }, callback_url: `https://example.invalid/?${word}` };
  const plainSms = { to: phone, from: 'Shop', message: `Dear ${word}` };
  const v2 = await requireOk(
    postSurfaceA('/v2/send', { ...plainSms, ...extras }, { 'idempotency-key': word.slice(0, 3) }),
  );
  const laterTime = new Date(Date.now() + 3_600_000).toISOString();
  const scheduledResponse = await requireOk(postSurfaceA('/v2/send', { ...plainSms, scheduled_at: laterTime }));
  if (phone === ADA) {
    sentIds.push(findId(v2));
    scheduledId = findId(scheduledResponse);
  }
  const steps = [{ type: 'wait', seconds: 3600 }];
  const automation = await createAutomation(heliograph, channel, steps);
  await triggerAutomation(heliograph, channel, automation, { phone, variables: { name: word } });
  await createCampaign(heliograph, channel, {
    groupId,
    templateName: 'order',
    scheduledAt: laterTime,
    components: [{ type: 'body', parameters: [{ type: 'text', text: '{{variables.name}}' }] }],
    memberVariables: [{ phone, variables: { name: word } }],
  });
  const refusedContacts = [{ phone: `+${phone.slice(0, 2)} ${phone.slice(2)}`, name: word }];
  const { data: job } = await postSurfaceB('/contacts/imports', { contacts: refusedContacts });
  await waitFor('the import to end', async () => {
    const { data } = (await call(heliograph, channel, 'GET', `/contacts/imports/${job.id}`)).json();
    return data.completedAt;
  });
  const optOut = { kind: 'sms', sender: 'Shop', phone };
  await requireOk(owner.ask('POST', `${account}/opt-outs`, optOut));
  await requireOk(playInbound(heliograph, channel, { from: phone, text: 'STOP' }));
  const createdAt = new Date();
  const [messageId] = await findIdsTo(phone);
  await db.messageTry.create({
    data: {
      messageId: messageId as string,
      attempt: 1,
      failedAt: createdAt,
      errorCode: 'X',
      errorMessage: `no route to ${phone}`,
    },
  });
  await db.consentRequest.create({
    data: {
      ...{ id: newId(), accountId: channel.account.id, kind: 'whatsapp', sender: channel.channelId, phone, name: word },
      ...{ purpose: 'marketing', messageId: messageId as string, requestedAt: createdAt },
    },
  });
  await db.supersededReceipt.create({
    data: {
      ...{
        messageId: messageId as string,
        carrier: 'meta',
        carrierMessageId: 'wamid.1',
        status: 'failed',
        occurredAt: createdAt,
      },
      errorMessage: `no route to ${phone}`,
    },
  });
  const carrierCall = {
    carrier: 'meta',
    at: createdAt,
    milliseconds: 1,
    method: 'POST',
    url: 'https://meta.example/',
    failed: false,
  };
  await db.carrierCall.createMany({
    data: [
      { id: newId(), ...carrierCall, messageId: messageId as string, request: `{"text":"${word}"}`, answer: '{}' },
      { id: newId(), ...carrierCall, request: `{"to":"+${phone}","text":"${word}"}`, answer: null },
    ],
  });
  const part = { carrier: 'simulator', sender: phone, recipient: channel.phoneNumber, reference: 1, total: 2, part: 1 };
  await db.inboundPart.create({ data: { ...part, carrierMessageId: newId(), body: word, receivedAt: createdAt } });
  await db.carrierCallback.create({
    data: { carrier: 'meta', body: Buffer.from(`{"from":"${phone}","text":"${word}"}`), setAsideAt: createdAt },
  });
  await db.contactImportSlice.create({
    data: {
      jobId: job.id as string,
      position: 0,
      isDone: true,
      input: JSON.stringify([{ row: 2, phone: `+${phone}`, name: word, reason: 'x' }]),
    },
  });
}

async function findIdsTo(phone: string): Promise<string[]> {
  const rows = await heliograph.deps.prisma.message.findMany({ where: { recipient: phone }, orderBy: { id: 'asc' } });
  return rows.map(({ id }) => id);
}

async function countContaining(...texts: string[]): Promise<Record<string, number>> {
  const { pool } = heliograph.deps;
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(40);
  const patterns = texts.flatMap((text) => [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`]);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${name} t WHERE t::text ILIKE ANY($1)`, [
      patterns,
    ]);
    if (rows[0].n > 0) counts[name.replace('public.', '')] = rows[0].n;
  }
  return counts;
}

async function readUnrelated() {
  const { pool } = heliograph.deps;
  const sums = await pool.query(
    'SELECT kind, sum(amount_micros)::text AS sum FROM ledger_entries GROUP BY 1 ORDER BY 1',
  );
  const prices = await pool.query(
    'SELECT id, parts, price_micros, carrier, kind, created_at FROM messages ORDER BY id',
  );
  return { bob: await countContaining(BOB, 'babbage'), sums: sums.rows, prices: prices.rows };
}

async function runCommand(...args: string[]) {
  const { code, stdout: out, stderr: err } = await run({ DATABASE_URL: heliograph.databaseUrl }, ...args);
  return { code, out, err };
}

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  await createTemplate(heliograph.deps, channel, { name: 'order', body: 'Hello {{1}}!' });
  groupId = (await postSurfaceB('/contacts/groups', { name: 'All' })).data.id as string;
  const events = ['message.received', 'message.status', 'contact.updated', 'contact.deleted', 'automation.completed'];
  await postSurfaceB('/webhooks', { url: 'https://example.invalid/hook', events });
  await requireOk(
    postSurfaceA('/v2/webhooks', {
      url: 'https://example.invalid/all',
      events: ['message.received', 'message.status'],
    }),
  );
  await createTraces(ADA, SECRET);
  await createTraces(BOB, 'babbage');
  await waitFor('all to be delivered', async () => {
    const remainingCount = await heliograph.deps.prisma.message.count({
      where: { status: { in: ['queued', 'sending', 'sent'] }, scheduledAt: null },
    });
    return remainingCount === 0;
  });
  stateBefore = await readUnrelated();
});

describe('heliograph erase', () => {
  it('erasing a person is refused for an invalid number and for the number of a channel', async () => {
    expect(await runCommand('erase', '0123')).toMatchObject({
      code: 1,
      err: expect.stringContaining('phone must be a phone number'),
    });
    const channelNumber = await runCommand('erase', channel.phoneNumber, '--yes');
    expect(channelNumber).toMatchObject({ code: 1, err: expect.stringContaining(`the channel ${channel.channelId}`) });
    expect((await runCommand('erase', ADA, '--account', newId())).err).toContain('there is no account');
  });

  it('every table with text columns is in docs/run/erasing.md', async () => {
    const { rows } = await heliograph.deps.pool.query<{ name: string }>(
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
       JOIN pg_class ON oid = to_regclass(table_name) AND NOT relispartition
       WHERE table_schema = 'public' AND data_type NOT IN ('uuid', 'integer', 'bigint', 'smallint', 'boolean', 'date')
         AND data_type NOT LIKE 'timestamp%' AND data_type <> 'USER-DEFINED'`,
    );
    const page = readFileSync(join(PROJECT_FOLDER, 'docs/run/erasing.md'), 'utf8');
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('erasing a person only counts rows without --yes', async () => {
    const dryRun = await runCommand('--json', 'erase', ADA, '--dry-run');
    expect(dryRun.code).toBe(0);
    const dryRunResult = JSON.parse(dryRun.out);
    expect(dryRunResult).toMatchObject({ erased: false, waiting: 1, optOutsKept: 2 });
    dryRunCounts = dryRunResult.rows;
    expect(Object.keys(dryRunCounts)).toHaveLength(15);
    expect(await runCommand('erase', ADA)).toMatchObject({ code: 1, err: expect.stringContaining('Add --yes') });
    expect(await readUnrelated()).toEqual(stateBefore);
    expect(Object.keys(await countContaining(ADA, SECRET)).length).toBeGreaterThan(13);
  });

  it('erasing a person keeps the number only in opt-outs and consent entries, and changes nothing about other people', async () => {
    const { code, out, err } = await runCommand('--json', 'erase', `+${ADA}`, '--yes');
    expect([code, err]).toEqual([0, expect.any(String)]);
    const result = JSON.parse(out);
    expect(result).toMatchObject({ erased: true, canceled: 1, optOutsKept: 2 });
    expect(result.rows).toEqual(dryRunCounts);
    expect(await countContaining(ADA, SECRET, WAMID)).toEqual({ opt_outs: 2, consents: 4 });

    const { bob, prices, sums } = await readUnrelated();
    expect(bob).toEqual(stateBefore.bob);
    expect(prices).toEqual(stateBefore.prices);
    const listRefunds = (changes: unknown) =>
      (changes as { kind: string; sum: string }[]).find(({ kind }) => kind === 'refund')?.sum ?? '0';
    expect(BigInt(listRefunds(sums)) - BigInt(listRefunds(stateBefore.sums))).toBe(10_000n);
    expect((sums as { kind: string }[]).filter(({ kind }) => kind !== 'refund')).toEqual(
      (stateBefore.sums as { kind: string }[]).filter(({ kind }) => kind !== 'refund'),
    );
  });

  it('erasing a person keeps the price and status of a message', async () => {
    const db = heliograph.deps.prisma;
    expect(await db.message.findUniqueOrThrow({ where: { id: sentIds[0] } })).toMatchObject({
      ...{ recipient: '44', body: '', content: null, reference: null, metadata: null, callbackUrl: null },
      ...{ status: 'delivered', priceMicros: 10_000n, refunded: false, sender: 'Shop', contactId: null },
    });
    expect(await db.message.findUniqueOrThrow({ where: { id: scheduledId } })).toMatchObject({
      ...{ recipient: '44', body: '', status: 'canceled', refunded: true },
    });
    expect(
      await requireOk(heliograph.app.inject({ url: `/v2/messages/${sentIds[0]}`, headers: channel.account.headers })),
    ).toBeTruthy();
  });

  it('erasing a person keeps webhook events of statuses without the number, and of the deleted contact with its ID only', async () => {
    const events = await heliograph.deps.prisma.webhookDelivery.findMany({
      where: { type: { in: ['message.status', 'contact.deleted'] } },
    });
    const data = events.map(
      (webhookEvent) =>
        ({ type: webhookEvent.type, ...(webhookEvent.data as Record<string, unknown>) }) as Record<string, unknown>,
    );
    expect(data.find(({ messageId }) => messageId === scheduledId)).toMatchObject({ status: 'canceled', to: '44' });
    expect(data.find(({ type }) => type === 'contact.deleted')).toMatchObject({
      id: expect.any(String),
      phone: '',
      name: '',
    });
  });

  it('erasing a person writes an audit entry with counts and no number', async () => {
    const auditLine = await heliograph.deps.prisma.auditLine.findFirstOrThrow({ where: { action: 'person.erase' } });
    expect(auditLine).toMatchObject({
      actorKind: 'cli',
      accountId: null,
      after: { canceled: 1, rows: { contacts: 1 } },
    });
  });

  it('erasing a person is not undone by a repeated report, a late receipt or a repeated request', async () => {
    const repeatedInbound = await requireOk(
      playInbound(heliograph, channel, { from: ADA, text: `I am ${SECRET}`, id: WAMID }),
    );
    expect(repeatedInbound).toBeTruthy();
    const receipt = {
      carrier: 'simulator',
      carrierMessageId: 'late',
      messageId: sentIds[0],
      status: 'read',
      occurredAt: new Date(),
    };
    await heliograph.deps.receipts.receive([receipt as never]);
    const repeated = await postSurfaceA(
      '/v2/send',
      { to: ADA, from: 'Shop', message: 'x' },
      { 'idempotency-key': SECRET.slice(0, 3) },
    );
    expect(repeated.statusCode).toBe(422);
    expect(await countContaining(ADA, SECRET)).toEqual({ opt_outs: 2, consents: 4 });
  });

  it('erasing a person keeps the opt-out in force unless --forget-opt-out is given', async () => {
    const send = await requireOk(postSurfaceA('/v2/send', { to: ADA, from: 'Shop', message: 'Again' }));
    const id = findId(send);
    await waitFor('the message to be refused', async () => {
      const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
      return row.status === 'rejected' && row.errorCode === 'OPTED_OUT';
    });
    const { code } = await runCommand('erase', ADA, '--account', channel.account.id, '--forget-opt-out', '--yes');
    expect(code).toBe(0);
    expect(await countContaining(ADA, SECRET)).toEqual({});
    expect(await runCommand('erase', ADA, '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('There is nothing to erase.'),
    });
  });

  it('erasing a person fails and names the message while a carrier may have accepted one', async () => {
    const { deps } = heliograph;
    const owner = channel.account;
    const sending = await requireOk(
      postSurfaceA('/v2/send', {
        to: ADA,
        from: 'Later',
        message: 'x',
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    );
    const id = findId(sending);
    await deps.prisma.message.update({ where: { id }, data: { status: 'sending', maybeAccepted: true } });
    const ref = { address: ADA, accountId: owner.id };
    await expect(erasePerson({ ...deps }, ref, { waitMs: 0 })).rejects.toThrow(id);
    expect(await countContaining(ADA)).toMatchObject({ messages: 1 });
    expect((await countTraces({ ...deps }, ref)).waiting).toBe(1);
  });
});
