import { beforeAll, describe, expect, it } from 'vitest';
import { findFormatFacts } from '../../../src/features/webhooks/formats.js';
import { buildTwilioForm, encodeForm } from '../../../src/features/webhooks/twilio/form.js';
import { newId } from '../../../src/platform/ids.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { CARRIER, createMetaChannel, suiteCloudApi } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildFile } from '../../support/media/files.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth, callTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';

const ADA = '15005550451';
const GRACE = 'US.13491208655302741918';
const PUBLIC_URL = 'https://messages.example.com';
const PICTURE = buildFile('image/jpeg', 900);
const heliograph = suiteApp({ settings: { PUBLIC_URL: `${PUBLIC_URL}/` } });
const meta = suiteCloudApi();
let account: TestAccount;
let whatsappChannel: TestChannel;
let smsChannel: TestChannel;
let otherAccount: TestAccount;

const request = (method: 'GET' | 'POST' | 'DELETE', path: string, form?: Record<string, string>, caller = account) =>
  callTwilio(heliograph, caller, method, path, form);
async function listMessages(query = '', caller = account) {
  const response = await request('GET', `/Messages.json?${query}`, undefined, caller);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().messages as { sid: string; body: string; direction: string; date_sent: string }[];
}
const listBodies = async (query: string) => (await listMessages(query)).map(({ body }) => body);

async function receiveMessage(type: string, node: object, overrides: object = {}) {
  const id = `wamid.${newId()}`;
  const body = buildEnvelope(buildInbound(type, node, { from: ADA, id, ...overrides }));
  expect((await postWebhook(heliograph, meta, CARRIER, body)).statusCode).toBe(200);
  return await waitFor('the message', () =>
    heliograph.deps.prisma.inboundMessage.findFirst({ where: { carrierMessageId: id } }),
  );
}
const receivePicture = (caption: string) => {
  const metaId = meta.media.receive({ bytes: PICTURE, mimeType: 'image/jpeg' });
  return receiveMessage('image', { id: metaId, mime_type: 'image/jpeg', sha256: 'as Meta says', caption });
};

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  otherAccount = await createTestAccount(heliograph.deps);
  whatsappChannel = await createMetaChannel(heliograph, meta, { account });
  smsChannel = await createTestChannel(heliograph.deps, account, { kind: 'sms' });
});

describe('inbound messages on Twilio’s surface', () => {
  it('are listed among outbound ones, newest first, page by page', async () => {
    const inboundMessage = await receiveMessage('text', { body: 'first' });
    const sendResponse = await request('POST', '/Messages.json', { To: `+${ADA}`, From: 'Shop', Body: 'second' });
    await playInbound(heliograph, smsChannel, { from: ADA, text: 'third' });
    await receivePicture('fourth');
    await receiveMessage('text', { body: 'fifth' }, { from: undefined, from_user_id: GRACE });
    expect(await listBodies('')).toEqual(['fifth', 'fourth', 'third', 'second', 'first']);
    const bodiesByPage: string[] = [];
    let next: string | null = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages.json?PageSize=1`;
    while (next !== null) {
      const page: { json(): { messages: { body: string }[]; next_page_uri: string | null } } =
        await heliograph.app.inject({ url: next, headers: buildAccountAuth(account) });
      bodiesByPage.push(...page.json().messages.map(({ body }) => body));
      next = page.json().next_page_uri;
    }
    expect(bodiesByPage).toEqual(['fifth', 'fourth', 'third', 'second', 'first']);

    const firstMessage = (await listMessages()).at(-1);
    const path = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/${firstMessage?.sid}`;
    const date = expect.stringMatching(/ \+0000$/);
    expect(firstMessage).toEqual({
      sid: toSid('SM', inboundMessage.id),
      body: 'first',
      direction: 'inbound',
      status: 'received',
      from: `whatsapp:+${ADA}`,
      to: `whatsapp:+${whatsappChannel.phoneNumber}`,
      num_segments: '1',
      num_media: '0',
      messaging_service_sid: toSid('MG', whatsappChannel.channelId),
      account_sid: toSid('AC', account.id),
      price: null,
      price_unit: 'USD',
      error_code: null,
      error_message: null,
      date_created: date,
      date_sent: date,
      date_updated: date,
      api_version: '2010-04-01',
      uri: `${path}.json`,
      subresource_uris: { media: `${path}/Media.json` },
    });
    expect((await request('GET', `/Messages/${firstMessage?.sid}.json`)).json()).toEqual(firstMessage);
    expect((await request('GET', `/Messages/${sendResponse.json().sid}.json`)).json()).toMatchObject({
      direction: 'outbound-api',
    });
    expect(await listMessages('', otherAccount)).toEqual([]);
    expect((await request('GET', `/Messages/${firstMessage?.sid}.json`, undefined, otherAccount)).statusCode).toBe(404);
  });

  it('are filtered by sender, recipient and time', async () => {
    expect(await listBodies(`From=%2B${ADA}`)).toEqual(['third']);
    expect(await listBodies(`From=whatsapp:%2B${ADA}`)).toEqual(['fourth', 'first']);
    expect(await listBodies(`From=whatsapp:${GRACE}`)).toEqual(['fifth']);
    expect(await listBodies(`To=whatsapp:%2B${whatsappChannel.phoneNumber}`)).toEqual(['fifth', 'fourth', 'first']);
    expect(await listBodies(`To=%2B${smsChannel.phoneNumber}`)).toEqual(['third']);
    expect(await listBodies('From=Shop')).toEqual(['second']);
    expect(await listBodies(`To=%2B${ADA}`)).toEqual(['second']);
    const toDay = ({ date_sent }: { date_sent: string }) => new Date(date_sent).toISOString().slice(0, 10);
    const inboundMessages = await listMessages(`From=whatsapp:%2B${ADA}`);
    expect(inboundMessages).toHaveLength(2);
    // Midnight may have passed between the two messages, so each message's day is searched separately.
    for (const day of inboundMessages.map(toDay)) {
      const expectedBodies = inboundMessages
        .filter((inboundMessage) => toDay(inboundMessage) === day)
        .map(({ body }) => body);
      expect(await listBodies(`From=whatsapp:%2B${ADA}&DateSent=${day}`)).toEqual(expectedBodies);
    }
    expect(await listBodies(`From=whatsapp:%2B${ADA}&DateSent<=2020-01-01`)).toEqual([]);
  });

  it('have files that can be listed, downloaded with permission, and deleted', async () => {
    const { id, accountId, channelId, payload } = await receivePicture('a file');
    const sid = toSid('MM', id);
    const mediaSid = toSid('ME', (payload as { mediaId: string }).mediaId);
    expect((await listMessages())[0]).toMatchObject({ sid, body: 'a file', num_media: '1' });
    const files = (await request('GET', `/Messages/${sid}/Media.json`)).json();
    const path = `/2010-04-01/Accounts/${toSid('AC', accountId)}/Messages/${sid}/Media/${mediaSid}`;
    const file = {
      sid: mediaSid,
      account_sid: toSid('AC', accountId),
      parent_sid: sid,
      content_type: 'image/jpeg',
      date_created: expect.any(String),
      date_updated: expect.any(String),
      uri: `${path}.json`,
    };
    expect(files).toMatchObject({ media_list: [file], page: 0, next_page_uri: null });
    expect((await request('GET', `/Messages/${sid}/Media/${mediaSid}.json`)).json()).toEqual(file);

    const event = { messageId: id, channel: 'whatsapp', channelId, from: ADA, userId: GRACE, username: null };
    const data = JSON.stringify({ ...event, to: whatsappChannel.phoneNumber, type: 'image', text: 'a file', payload });
    const noFacts = { contentType: null, repliedId: null, repliedType: null, ownWords: null, isHelpAnswered: false };
    const facts = { accountId, ...noFacts, name: 'Ada', publicUrl: PUBLIC_URL };
    const form = buildTwilioForm({ type: 'message.received', data }, facts);
    expect(form).toMatchObject({
      MessageSid: sid,
      NumMedia: '1',
      MediaUrl0: PUBLIC_URL + path,
      MediaContentType0: 'image/jpeg',
      ExternalUserId: `whatsapp:${GRACE}`,
    });
    expect(encodeForm(form)).toContain('NumMedia=1');
    const download = (headers: Record<string, string>) => heliograph.app.inject({ url: path, headers });
    const bytes = await download(buildAccountAuth(account));
    expect([bytes.statusCode, bytes.headers['content-type']]).toEqual([200, 'image/jpeg']);
    expect(bytes.rawPayload.equals(PICTURE)).toBe(true);
    expect((await download({ ...buildAccountAuth(account), range: 'bytes=0-9' })).statusCode).toBe(206);
    expect((await download(buildAccountAuth(otherAccount))).statusCode).toBe(404);
    expect((await download({})).statusCode).toBe(401);
    const otherSid = toSid('SM', (await receiveMessage('text', { body: 'another' })).id);
    expect((await request('GET', `/Messages/${otherSid}/Media/${mediaSid}.json`)).statusCode).toBe(404);
    expect((await request('DELETE', `/Messages/${sid}/Media/${mediaSid}.json`)).statusCode).toBe(204);
    expect((await download(buildAccountAuth(account))).statusCode).toBe(404);
    expect((await request('GET', `/Messages/${sid}/Media.json`)).json().media_list).toEqual([]);
  });

  it('have the configured base URL in the file links of webhooks', async () => {
    const { deps } = heliograph;
    const webhook = { accountId: account.id, events: ['message.received'], format: 'twilio' as const, secret: 'x' };
    const { id } = await deps.prisma.webhook.create({ data: { id: newId(), url: 'http://127.0.0.1:9/', ...webhook } });
    await receivePicture('Look');
    const delivery = await waitFor('the event', () =>
      deps.prisma.webhookDelivery.findFirst({ where: { webhookId: id } }),
    );
    const options = { pool: deps.pool, publicUrl: heliograph.config.publicUrl };
    const formatFacts = await findFormatFacts(options, [{ id: delivery.id, format: 'twilio' }]);
    expect(formatFacts.get(delivery.id)).toMatchObject({ format: 'twilio', facts: { publicUrl: PUBLIC_URL } });
    const url = `/v2/webhooks/${id}/deliveries`;
    const log = await heliograph.app.inject({ url, headers: account.headers });
    expect(log.json().data[0].body, log.body).toContain(`MediaUrl0=${encodeURIComponent(PUBLIC_URL)}`);
  });

  it('can be redacted and deleted with their file, which notifies webhooks, but not canceled', async () => {
    const { id, payload } = await receivePicture('a secret');
    const settings = { accountId: account.id, events: ['message.edited', 'message.revoked'], secret: 'x' };
    const webhook = { id: newId(), url: 'http://127.0.0.1:9/', ...settings };
    await heliograph.deps.prisma.webhook.create({ data: webhook });
    const events = () =>
      heliograph.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id }, orderBy: { id: 'asc' } });
    const path = `/Messages/${toSid('MM', id)}.json`;
    const cancelResponse = await request('POST', path, { Status: 'canceled' });
    expect([cancelResponse.statusCode, cancelResponse.json().code]).toEqual([409, 30409]);
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await request(method, path, method === 'POST' ? { Body: '' } : undefined, otherAccount)).statusCode).toBe(
        404,
      );
    }
    const redactResponse = await request('POST', path, { Body: '' });
    expect(redactResponse.json(), redactResponse.body).toMatchObject({
      sid: toSid('MM', id),
      body: '',
      num_media: '0',
      status: 'received',
    });
    const countMedia = () =>
      heliograph.deps.prisma.media.findUnique({ where: { id: (payload as { mediaId: string }).mediaId } });
    expect((await countMedia())?.status ?? 'removed').toBe('removed');
    // Clearing a body that is already empty sends no event.
    expect((await request('POST', path, { Body: '' })).statusCode).toBe(200);
    expect((await request('DELETE', `/Messages/${toSid('SM', id)}.json`)).statusCode).toBe(204);
    expect((await request('GET', `/Messages/${toSid('SM', id)}.json`)).statusCode).toBe(404);
    expect(await listBodies('')).not.toContain('a secret');
    const message = { messageId: id, direction: 'inbound', channelId: whatsappChannel.channelId, from: ADA };
    expect(await events()).toMatchObject([
      { type: 'message.edited', data: { ...message, type: 'image', text: '', payload: {} } },
      { type: 'message.revoked', data: message },
    ]);
    expect(JSON.stringify(await events())).not.toContain('a secret');
  });
});
