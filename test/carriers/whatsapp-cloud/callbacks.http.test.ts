import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ReportSeal } from '../../../src/carriers/callbacks/unmatched/report-seal.js';
import { signBody } from '../../../src/carriers/whatsapp-cloud/callbacks/signature.js';
import {
  buildEnvelope,
  buildInbound,
  buildStatus,
  postWebhook,
  serialize,
} from '../../support/carriers/cloud-api/webhooks.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, createMetaChannel, suiteMeta } from './meta-channel.js';

const SECRET_TEXT = 'a text that belongs in no log';

const KEY = 'a secret of the test of at least 32 characters';

const logLines: string[] = [];
const { stub, heliograph, channel } = suiteMeta({
  log: pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) }),
  settings: { KEPT_REPORTS_SECRET: KEY },
});
beforeEach(() => {
  logLines.length = 0;
});
afterEach(async () => {
  await waitFor('all webhooks to be processed', async () => (await countCallbacks()) === 0);
  expect(logLines.join('')).not.toContain(SECRET_TEXT);
});

const countCallbacks = () => heliograph.deps.prisma.carrierCallback.count();
const listInbound = () =>
  heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId: channel.channelId }, orderBy: { id: 'asc' } });
const buildHello = (text = SECRET_TEXT) => buildEnvelope(buildInbound('text', { body: text }));
const post = (body: Record<string, unknown> | Buffer, headers?: Record<string, string>, carrier = CARRIER) =>
  postWebhook(heliograph, stub, carrier, body, headers);
const seal = new ReportSeal([KEY]);
const listUnusedReports = async () => {
  const rows = await heliograph.deps.prisma.keptReport.findMany({ orderBy: { kind: 'asc' } });
  return rows.map((row) => ({ ...row, body: Buffer.from(row.body) }));
};
async function expectUnused(send: () => ReturnType<typeof post>, expectedCount = 1): Promise<void> {
  if (expectedCount > 0) await heliograph.deps.prisma.keptReport.deleteMany();
  const countBefore = (await listUnusedReports()).length;
  expect((await send()).statusCode).toBe(200);
  await waitFor('the webhook to be processed', async () => (await countCallbacks()) === 0);
  expect(await listUnusedReports()).toHaveLength(countBefore + expectedCount);
}
const verify = (query: Record<string, string>, carrier = CARRIER) =>
  heliograph.app.inject({ url: `/callbacks/whatsapp-cloud/${carrier}`, query });

describe('verification request', () => {
  const validQuery = {
    'hub.mode': 'subscribe',
    'hub.verify_token': 'a word of our own',
    'hub.challenge': '1158201444',
  };

  it('Meta’s verification request is answered with the challenge as plain text', async () => {
    const response = await verify(validQuery);
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('1158201444');
    expect(response.headers['content-type']).toMatch(/^text\/plain/);
  });

  it.each([
    [403, { ...validQuery, 'hub.verify_token': 'a word of theirs' }],
    [400, { ...validQuery, 'hub.mode': 'unsubscribe' }],
    [400, {}],
  ])('Meta’s verification request is refused with %i if its parameters are wrong', async (status, query) => {
    const response = await verify(query);
    expect(response.statusCode).toBe(status);
    expect(response.body).not.toContain('1158201444');
  });

  it('Meta’s verification request is accepted by a disabled carrier, and so are webhooks', async () => {
    const { prisma, carriers } = heliograph.deps;
    const enable = async (isActive: boolean) => {
      await prisma.carrier.update({ where: { name: CARRIER }, data: { isActive } });
      await carriers.reload();
    };
    await enable(false);
    try {
      expect((await verify(validQuery)).statusCode).toBe(200);
      const countBefore = (await listInbound()).length;
      expect((await post(buildEnvelope(buildInbound('text', { body: 'STOP' })))).statusCode).toBe(200);
      await waitFor('the message', async () => (await listInbound()).length === countBefore + 1);
    } finally {
      await enable(true);
    }
  });

  it.each(['nobody', 'simulator'])('Meta’s verification request gets 404 for the carrier %s', async (name) => {
    expect((await verify(validQuery, name)).statusCode).toBe(404);
    expect((await post(buildHello(), {}, name)).statusCode).toBe(404);
  });
});

describe('webhooks', () => {
  it('a Meta webhook with a valid signature is stored, answered and processed', async () => {
    const countBefore = (await listInbound()).length;
    const response = await post(buildHello());
    expect(response.statusCode).toBe(200);
    await waitFor('the message', async () => (await listInbound()).length === countBefore + 1);
    expect((await listInbound()).at(-1)).toMatchObject({
      type: 'text',
      body: SECRET_TEXT,
      payload: { body: SECRET_TEXT },
    });
  });

  it('a Meta webhook is verified by its raw bytes, regardless of its content type', async () => {
    const indentedBody = Buffer.from(JSON.stringify(buildHello(), null, '\t'));
    expect((await post(indentedBody, { 'content-type': 'text/plain' })).statusCode).toBe(200);
    expect((await post(buildHello('Zoë \u{1F44B}'))).statusCode).toBe(200);
    await waitFor('the text', async () => (await listInbound()).some(({ body }) => body === 'Zoë \u{1F44B}'));
  });

  it('a Meta webhook of 3 MB is accepted', async () => {
    const statuses = Array.from({ length: 11_000 }, (_, index) => buildStatus(`wamid.large.${index}`, 'sent'));
    const body = serialize(buildEnvelope({ statuses }));
    expect(body.length).toBeGreaterThan(2_500_000);
    expect((await post(body)).statusCode).toBe(200);
  });

  it('a Meta webhook whose signature differs by one bit is refused', async () => {
    const countBefore = (await listInbound()).length;
    const body = serialize(buildHello());
    const digest = Buffer.from(signBody(stub.appSecret, body).slice(7), 'hex');
    for (const bit of [0, 7, 100, 255]) {
      const changedDigest = Buffer.from(digest);
      changedDigest[bit >> 3] = (changedDigest[bit >> 3] as number) ^ (1 << (bit & 7));
      const response = await post(body, { 'x-hub-signature-256': `sha256=${changedDigest.toString('hex')}` });
      expect(response.statusCode).toBe(403);
      expect(response.body).not.toContain(SECRET_TEXT);
    }
    expect((await listInbound()).length).toBe(countBefore);
    expect(logLines.filter((line) => line.includes('a webhook was refused'))).toHaveLength(4);
  });

  it.each([undefined, '', 'sha256=', 'sha1=0123', `sha256=${'0'.repeat(64)}`])(
    'a Meta webhook with the signature %j is refused',
    async (signature) => {
      const response = await heliograph.app.inject({
        method: 'POST',
        url: `/callbacks/whatsapp-cloud/${CARRIER}`,
        headers: {
          'content-type': 'application/json',
          ...(signature !== undefined && { 'x-hub-signature-256': signature }),
        },
        payload: serialize(buildHello()),
      });
      expect(response.statusCode).toBe(403);
    },
  );

  it.each([`{"entry": ${SECRET_TEXT}`, '', '[]', 'null', '"text"', Buffer.from([0x7b, 0xff, 0x7d])])(
    'a Meta webhook that is signed but not a JSON object is stored as unused: %j',
    async (body) => {
      await expectUnused(() => post(Buffer.from(body)));
      const [kept] = await listUnusedReports();
      expect(kept).toMatchObject({ carrier: CARRIER, channelId: null });
      expect(['body:unreadable', 'body:unknown']).toContain(kept?.kind);
      expect(seal.open(kept as { form: 'sealed'; body: Buffer })).toEqual(Buffer.from(body));
      expect(String(kept?.body)).not.toContain(SECRET_TEXT);
    },
  );

  it('a Meta webhook for an unknown number is stored as unused, and logged without its text', async () => {
    const countBefore = await heliograph.deps.prisma.inboundMessage.count();
    const value = { ...buildInbound('text', { body: SECRET_TEXT }), statuses: [buildStatus('wamid.unknown', 'read')] };
    await expectUnused(() => post(buildEnvelope(value, { number: '999' })), 2);
    const warning = logLines.map((line) => JSON.parse(line)).find(({ reason }) => reason === 'no-channel');
    expect(warning).toMatchObject({ level: 40, carrier: CARRIER, kept: { 'inbound:text': 1, 'status:read': 1 } });
    expect(await listUnusedReports()).toMatchObject([
      { kind: 'inbound:text', reason: 'no-channel', channelId: null, ids: expect.arrayContaining(['16505551234']) },
      { kind: 'status:read', reason: 'no-channel', ids: expect.arrayContaining(['wamid.unknown']) },
    ]);
    expect(await heliograph.deps.prisma.inboundMessage.count()).toBe(countBefore);
    expect(await heliograph.deps.prisma.earlyReceipt.count({ where: { carrierMessageId: 'wamid.unknown' } })).toBe(0);
  });

  it('a Meta webhook that is unused is stored once with its channel, even if repeated', async () => {
    const body = buildEnvelope({ groups: [{ subject: SECRET_TEXT }] }, { field: 'group_settings_update' });
    await expectUnused(() => post(body));
    await expectUnused(() => post(body), 0);
    const [kept] = await listUnusedReports();
    expect(kept).toMatchObject({
      kind: 'field:group_settings_update',
      reason: 'unknown',
      channelId: channel.channelId,
      form: 'sealed',
    });
    expect(JSON.parse(seal.open(kept as { form: 'sealed'; body: Buffer }).toString())).toEqual(body);
  });

  it('a Meta webhook without any supported content is stored as unused', async () => {
    await heliograph.deps.prisma.keptReport.deleteMany();
    for (const body of [{}, { entry: 'no' }, { object: 'page', entry: [{ changes: [{ field: 'feed', value: 7 }] }] }]) {
      expect((await post(body)).statusCode).toBe(200);
    }
    await waitFor('the webhook to be processed', async () => (await countCallbacks()) === 0);
    expect((await listUnusedReports()).map(({ kind }) => kind)).toEqual(['body:unknown', 'body:unknown', 'field:feed']);
  });

  it('a Meta webhook that is repeated is stored once, and the messages of a contact keep their order', async () => {
    const message = buildHello('once');
    const laterMessages = Array.from({ length: 20 }, (_, index) => buildHello(`number ${index}`));
    await post(message);
    for (const laterMessage of laterMessages) await post(laterMessage);
    await Promise.all([post(message), post(message)]);
    await waitFor('all', async () => (await countCallbacks()) === 0);
    const bodies = (await heliograph.deps.prisma.inboundMessage.findMany({ orderBy: { id: 'asc' } })).map(
      ({ body }) => body,
    );
    expect(bodies.filter((body) => body === 'once')).toHaveLength(1);
    expect(bodies.filter((body) => body.startsWith('number'))).toEqual(
      laterMessages.map((_, index) => `number ${index}`),
    );
  });

  it('a Meta webhook is not acknowledged if it cannot be stored', async () => {
    await heliograph.deps.pool.query('ALTER TABLE carrier_callbacks RENAME TO elsewhere');
    const response = await post(buildHello());
    await heliograph.deps.pool.query('ALTER TABLE elsewhere RENAME TO carrier_callbacks');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain(SECRET_TEXT);
    expect((await post(buildHello())).statusCode).toBe(200);
  });
});

describe('several processes', () => {
  it('Meta webhooks are stored by one process and processed by another', async () => {
    const apiServer = await testApp({ role: 'api' });
    onTestFinished(() => apiServer.close());
    const channelOfApi = await createMetaChannel(apiServer, stub);
    expect((await postWebhook(apiServer, stub, CARRIER, buildHello('far'))).statusCode).toBe(200);
    expect(await apiServer.deps.prisma.carrierCallback.count()).toBe(1);
    const worker = await testApp({ role: 'worker', sharesWith: apiServer });
    onTestFinished(() => worker.close());
    const count = () =>
      apiServer.deps.prisma.inboundMessage.count({ where: { channelId: channelOfApi.channelId, body: 'far' } });
    await waitFor('the message', count);
    await waitFor('an empty table', async () => (await apiServer.deps.prisma.carrierCallback.count()) === 0);
  });
});
