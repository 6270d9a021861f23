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
import { fileOf } from '../../support/media/files.js';
import { suiteApp } from '../../support/suite.js';
import { basicOf, callTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';

const ADA = '15005550451';
const GRACE = 'US.13491208655302741918';
const PUBLIC_URL = 'https://messages.example.com';
const PICTURE = fileOf('image/jpeg', 900);
const heliograph = suiteApp({ settings: { PUBLIC_URL: `${PUBLIC_URL}/` } });
const meta = suiteCloudApi();
let account: TestAccount;
let whatsapp: TestChannel;
let sms: TestChannel;
let stranger: TestAccount;

const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, form?: Record<string, string>, as = account) =>
  callTwilio(heliograph, as, method, path, form);
async function listed(query = '', as = account) {
  const answer = await ask('GET', `/Messages.json?${query}`, undefined, as);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().messages as { sid: string; body: string; direction: string; date_sent: string }[];
}
const bodies = async (query: string) => (await listed(query)).map(({ body }) => body);

async function write(type: string, node: object, more: object = {}) {
  const id = `wamid.${newId()}`;
  const body = buildEnvelope(buildInbound(type, node, { from: ADA, id, ...more }));
  expect((await postWebhook(heliograph, meta, CARRIER, body)).statusCode).toBe(200);
  return await waitFor('the message', () =>
    heliograph.deps.prisma.inboundMessage.findFirst({ where: { carrierMessageId: id } }),
  );
}
const sendPicture = (caption: string) => {
  const metaId = meta.media.receive({ bytes: PICTURE, mimeType: 'image/jpeg' });
  return write('image', { id: metaId, mime_type: 'image/jpeg', sha256: 'as Meta says', caption });
};

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  stranger = await createTestAccount(heliograph.deps);
  whatsapp = await createMetaChannel(heliograph, meta, { account });
  sms = await createTestChannel(heliograph.deps, account, { kind: 'sms' });
});

describe('inbound messages on Twilio’s surface', () => {
  it('are listed among outbound ones, newest first, page by page', async () => {
    const written = await write('text', { body: 'first' });
    const sent = await ask('POST', '/Messages.json', { To: `+${ADA}`, From: 'Shop', Body: 'second' });
    await playInbound(heliograph, sms, { from: ADA, text: 'third' });
    await sendPicture('fourth');
    await write('text', { body: 'fifth' }, { from: undefined, from_user_id: GRACE });
    expect(await bodies('')).toEqual(['fifth', 'fourth', 'third', 'second', 'first']);
    const pages: string[] = [];
    let next: string | null = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages.json?PageSize=1`;
    while (next !== null) {
      const page: { json(): { messages: { body: string }[]; next_page_uri: string | null } } =
        await heliograph.app.inject({ url: next, headers: basicOf(account) });
      pages.push(...page.json().messages.map(({ body }) => body));
      next = page.json().next_page_uri;
    }
    expect(pages).toEqual(['fifth', 'fourth', 'third', 'second', 'first']);

    const first = (await listed()).at(-1);
    const path = `/2010-04-01/Accounts/${toSid('AC', account.id)}/Messages/${first?.sid}`;
    const date = expect.stringMatching(/ \+0000$/);
    expect(first).toEqual({
      sid: toSid('SM', written.id),
      body: 'first',
      direction: 'inbound',
      status: 'received',
      from: `whatsapp:+${ADA}`,
      to: `whatsapp:+${whatsapp.phoneNumber}`,
      num_segments: '1',
      num_media: '0',
      messaging_service_sid: toSid('MG', whatsapp.channelId),
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
    expect((await ask('GET', `/Messages/${first?.sid}.json`)).json()).toEqual(first);
    expect((await ask('GET', `/Messages/${sent.json().sid}.json`)).json()).toMatchObject({ direction: 'outbound-api' });
    expect(await listed('', stranger)).toEqual([]);
    expect((await ask('GET', `/Messages/${first?.sid}.json`, undefined, stranger)).statusCode).toBe(404);
  });

  it('are filtered by sender, recipient and time', async () => {
    expect(await bodies(`From=%2B${ADA}`)).toEqual(['third']);
    expect(await bodies(`From=whatsapp:%2B${ADA}`)).toEqual(['fourth', 'first']);
    expect(await bodies(`From=whatsapp:${GRACE}`)).toEqual(['fifth']);
    expect(await bodies(`To=whatsapp:%2B${whatsapp.phoneNumber}`)).toEqual(['fifth', 'fourth', 'first']);
    expect(await bodies(`To=%2B${sms.phoneNumber}`)).toEqual(['third']);
    expect(await bodies('From=Shop')).toEqual(['second']);
    expect(await bodies(`To=%2B${ADA}`)).toEqual(['second']);
    const dayOf = ({ date_sent }: { date_sent: string }) => new Date(date_sent).toISOString().slice(0, 10);
    const written = await listed(`From=whatsapp:%2B${ADA}`);
    expect(written).toHaveLength(2);
    // The two messages may have been received before and after midnight.
    for (const day of written.map(dayOf)) {
      const then = written.filter((each) => dayOf(each) === day).map(({ body }) => body);
      expect(await bodies(`From=whatsapp:%2B${ADA}&DateSent=${day}`)).toEqual(then);
    }
    expect(await bodies(`From=whatsapp:%2B${ADA}&DateSent<=2020-01-01`)).toEqual([]);
  });

  it('have files that are counted, listed, described, downloaded by those allowed to, and deleted', async () => {
    const { id, accountId, channelId, payload } = await sendPicture('a file');
    const sid = toSid('MM', id);
    const ofFile = toSid('ME', (payload as { mediaId: string }).mediaId);
    expect((await listed())[0]).toMatchObject({ sid, body: 'a file', num_media: '1' });
    const files = (await ask('GET', `/Messages/${sid}/Media.json`)).json();
    const path = `/2010-04-01/Accounts/${toSid('AC', accountId)}/Messages/${sid}/Media/${ofFile}`;
    const file = {
      sid: ofFile,
      account_sid: toSid('AC', accountId),
      parent_sid: sid,
      content_type: 'image/jpeg',
      date_created: expect.any(String),
      date_updated: expect.any(String),
      uri: `${path}.json`,
    };
    expect(files).toMatchObject({ media_list: [file], page: 0, next_page_uri: null });
    expect((await ask('GET', `/Messages/${sid}/Media/${ofFile}.json`)).json()).toEqual(file);

    const event = { messageId: id, channel: 'whatsapp', channelId, from: ADA, userId: GRACE, username: null };
    const data = JSON.stringify({ ...event, to: whatsapp.phoneNumber, type: 'image', text: 'a file', payload });
    const none = { contentType: null, repliedId: null, repliedType: null };
    const facts = { accountId, ...none, name: 'Ada', publicUrl: PUBLIC_URL };
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
    const bytes = await download(basicOf(account));
    expect([bytes.statusCode, bytes.headers['content-type']]).toEqual([200, 'image/jpeg']);
    expect(bytes.rawPayload.equals(PICTURE)).toBe(true);
    expect((await download({ ...basicOf(account), range: 'bytes=0-9' })).statusCode).toBe(206);
    expect((await download(basicOf(stranger))).statusCode).toBe(404);
    expect((await download({})).statusCode).toBe(401);
    const other = toSid('SM', (await write('text', { body: 'another' })).id);
    expect((await ask('GET', `/Messages/${other}/Media/${ofFile}.json`)).statusCode).toBe(404);
    expect((await ask('DELETE', `/Messages/${sid}/Media/${ofFile}.json`)).statusCode).toBe(204);
    expect((await download(basicOf(account))).statusCode).toBe(404);
    expect((await ask('GET', `/Messages/${sid}/Media.json`)).json().media_list).toEqual([]);
  });

  it('name their file in webhooks of the account by the configured URL', async () => {
    const { deps } = heliograph;
    const webhook = { accountId: account.id, events: ['message.received'], format: 'twilio' as const, secret: 'x' };
    const { id } = await deps.prisma.webhook.create({ data: { id: newId(), url: 'http://127.0.0.1:9/', ...webhook } });
    await sendPicture('Look');
    const delivery = await waitFor('the event', () =>
      deps.prisma.webhookDelivery.findFirst({ where: { webhookId: id } }),
    );
    const place = { pool: deps.pool, publicUrl: heliograph.config.publicUrl };
    const found = await findFormatFacts(place, [{ id: delivery.id, format: 'twilio' }]);
    expect(found.get(delivery.id)).toMatchObject({ format: 'twilio', facts: { publicUrl: PUBLIC_URL } });
    const url = `/v2/webhooks/${id}/deliveries`;
    const log = await heliograph.app.inject({ url, headers: account.headers });
    expect(log.json().data[0].body, log.body).toContain(`MediaUrl0=${encodeURIComponent(PUBLIC_URL)}`);
  });

  it('are redacted and deleted with their file, but not canceled, and webhooks are notified', async () => {
    const { id, payload } = await sendPicture('a secret');
    const settings = { accountId: account.id, events: ['message.edited', 'message.revoked'], secret: 'x' };
    const webhook = { id: newId(), url: 'http://127.0.0.1:9/', ...settings };
    await heliograph.deps.prisma.webhook.create({ data: webhook });
    const events = () =>
      heliograph.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id }, orderBy: { id: 'asc' } });
    const path = `/Messages/${toSid('MM', id)}.json`;
    const canceled = await ask('POST', path, { Status: 'canceled' });
    expect([canceled.statusCode, canceled.json().code]).toEqual([409, 30409]);
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await ask(method, path, method === 'POST' ? { Body: '' } : undefined, stranger)).statusCode).toBe(404);
    }
    const emptied = await ask('POST', path, { Body: '' });
    expect(emptied.json(), emptied.body).toMatchObject({
      sid: toSid('MM', id),
      body: '',
      num_media: '0',
      status: 'received',
    });
    const media = () =>
      heliograph.deps.prisma.media.findUnique({ where: { id: (payload as { mediaId: string }).mediaId } });
    expect((await media())?.status ?? 'removed').toBe('removed');
    // Clearing an empty body again sends no event.
    expect((await ask('POST', path, { Body: '' })).statusCode).toBe(200);
    expect((await ask('DELETE', `/Messages/${toSid('SM', id)}.json`)).statusCode).toBe(204);
    expect((await ask('GET', `/Messages/${toSid('SM', id)}.json`)).statusCode).toBe(404);
    expect(await bodies('')).not.toContain('a secret');
    const message = { messageId: id, direction: 'inbound', channelId: whatsapp.channelId, from: ADA };
    expect(await events()).toMatchObject([
      { type: 'message.edited', data: { ...message, type: 'image', text: '', payload: {} } },
      { type: 'message.revoked', data: message },
    ]);
    expect(JSON.stringify(await events())).not.toContain('a secret');
  });
});
