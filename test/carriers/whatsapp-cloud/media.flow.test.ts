import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { upload } from '../../support/media/calls.js';
import { buildFile, type FileType } from '../../support/media/files.js';
import { waitForStatus } from '../../support/messages.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { suiteMeta } from './meta-channel.js';

const ADA = '15005550401';

const { stub, heliograph, channel } = suiteMeta({ settings: { SEND_WAIT_MS: '20000' } });
beforeAll(() => openWindow(channel));

beforeEach(() => {
  stub.media.fault = () => null;
  stub.fault = () => null;
});

async function openWindow({ channelId, account }: TestChannel, phone = ADA) {
  const owner = { accountId: account.id, channelId };
  const now = new Date();
  await heliograph.deps.prisma.contact.create({
    data: {
      ...{ id: newId(), phone, name: 'Ada', ...owner },
      conversation: { create: { id: newId(), ...owner, lastInboundAt: now, lastMessageAt: now } },
    },
  });
}

const uploadFile = async (type: FileType, size?: number, from: TestChannel = channel, filename = 'menu') => {
  const response = await upload(heliograph, from, { bytes: buildFile(type, size), type, filename });
  return response.json().data.id as string;
};
const sendB = (payload: object, from = channel) =>
  call(heliograph, from, 'POST', '/messages/send', { to: ADA, ...payload });
const sendA = (payload: object, { app }: Pick<TestApp, 'app'> = heliograph) =>
  app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: channel.account.headers,
    payload: { to: ADA, from: channel.phoneNumber, channel: 'whatsapp', ...payload },
  });
const findUploads = (bytes: Buffer) => stub.media.uploads.filter((file) => file.bytes.equals(bytes));
type Sent = Record<string, { id?: string }>;
const lastSent = () => stub.accepted.at(-1)?.body as Sent;

describe('our files', () => {
  it.each<[string, FileType]>([
    ['image', 'image/png'],
    ['audio', 'audio/ogg'],
    ['video', 'video/mp4'],
    ['sticker', 'image/webp'],
    ['document', 'application/pdf'],
  ])('an uploaded file is uploaded to Meta once and reused: %s', async (type, mimeType) => {
    const id = await uploadFile(mimeType, 3_000 + type.length);
    const first = await sendB({ type, [type]: { id } });
    expect(first.statusCode, first.body).toBe(200);
    const copies = findUploads(buildFile(mimeType, 3_000 + type.length));
    expect(copies).toEqual([
      expect.objectContaining({
        mimeType,
        filename: 'menu',
        fields: { messaging_product: 'whatsapp', type: mimeType },
      }),
    ]);
    const sentWithCopy = () => stub.accepted.filter(({ body }) => (body as Sent)[type]?.id === copies[0]?.id);
    expect(sentWithCopy()).toHaveLength(1);
    expect((await sendA({ type, [type]: { id: id.toUpperCase() } })).statusCode).toBe(200);
    await waitFor('the second message', () => sentWithCopy().length === 2);
    expect(findUploads(buildFile(mimeType, 3_000 + type.length))).toHaveLength(1);
  });

  it('an uploaded file is sent in the header of an interactive message or a template', async () => {
    const id = await uploadFile('image/png', 5_001);
    const header = { type: 'image', image: { id } };
    const buttons = [{ type: 'reply', reply: { id: 'a', title: 'Yes' } }];
    const rich = {
      type: 'interactive',
      interactive: { type: 'button', header, body: { text: 'Ok?' }, action: { buttons } },
    };
    expect((await sendB(rich)).statusCode).toBe(200);
    const [copy] = findUploads(buildFile('image/png', 5_001));
    expect(lastSent()).toMatchObject({ interactive: { header: { image: { id: copy?.id } } } });

    const components = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ];
    const template = {
      name: 'look',
      language: 'en_US',
      category: 'MARKETING',
      status: 'APPROVED',
      components,
    } as const;
    stub.templates.push({ id: '900', ...template });
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    await heliograph.deps.prisma.template.create({ data: { id: newId(), ...owner, ...template, components } });
    const parameters = (mediaId: string) => [
      { type: 'header', parameters: [{ type: 'image', image: { id: mediaId } }] },
    ];
    const sendTemplate = (mediaId: string) =>
      call(heliograph, channel, 'POST', '/messages/template', {
        ...{ to: ADA, templateName: 'look', language: 'en_US', components: parameters(mediaId) },
      });
    const sent = await sendTemplate(id);
    expect(sent.statusCode, sent.body).toBe(200);
    expect(lastSent()).toMatchObject({ template: { components: [{ parameters: [{ image: { id: copy?.id } }] }] } });
    const unknown = await sendTemplate(newId());
    expect([unknown.statusCode, unknown.json().error.message]).toEqual([
      404,
      'components[0].parameters[0].image.id names no media of the channel',
    ]);
    const refusedOnA = await sendA({
      template_id: 'look',
      template_data: { language: { code: 'en_US' }, components: parameters(newId()) },
    });
    expect([refusedOnA.statusCode, refusedOnA.json().message]).toEqual([
      400,
      'template_data.components[0].parameters[0].image.id names no media of the channel',
    ]);
  });

  it('an uploaded file is not looked up if the message has a media ID from Meta', async () => {
    expect((await sendB({ type: 'image', image: { id: '4711' } })).statusCode).toBe(200);
    expect(lastSent().image).toEqual({ id: '4711' });
  });

  it('an uploaded file is refused without a charge if it belongs to another channel or has the wrong type', async () => {
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const foreign = await uploadFile('image/png', 100, otherChannel);
    const pdf = await uploadFile('application/pdf');
    const before = await readBalance(heliograph.deps, channel.account.id);
    for (const id of [newId(), foreign]) {
      const b = await sendB({ type: 'image', image: { id } });
      expect([b.statusCode, b.json().error]).toEqual([
        404,
        expect.objectContaining({ code: 'NOT_FOUND', message: 'image.id names no media of the channel' }),
      ]);
      const a = await sendA({ type: 'image', image: { id } });
      expect([a.statusCode, a.json().message]).toEqual([400, 'image.id names no media of the channel']);
    }
    const wrong = await sendB({ type: 'image', image: { id: pdf } });
    expect([wrong.statusCode, wrong.json().error.message]).toEqual([
      400,
      'image.id names a file of type application/pdf, which cannot be sent as image',
    ]);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(before);
  });

  it('an uploaded file is uploaded once for many messages sent by two processes', async () => {
    const second = await testApp({ sharesWith: heliograph });
    try {
      const id = await uploadFile('image/jpeg', 40_000);
      const recipients = Array.from({ length: 30 }, (_, index) => `1500555${1000 + index}`);
      const answers = await Promise.all(
        [heliograph, second].map((app) => sendA({ to: recipients, type: 'image', image: { id } }, app)),
      );
      const ids = answers.flatMap((each) => each.json().data.map((entry: { message_id: string }) => entry.message_id));
      expect(ids).toHaveLength(60);
      await waitForStatus(heliograph, ids, 'sent');
      expect(findUploads(buildFile('image/jpeg', 40_000))).toHaveLength(1);
    } finally {
      await second.close();
    }
  });
});

describe('lost uploads', () => {
  it('a media upload that Meta lost is repeated, and the message is sent once', async () => {
    const id = await uploadFile('image/png', 6_001);
    await sendB({ type: 'image', image: { id } });
    const [first] = findUploads(buildFile('image/png', 6_001));
    stub.media.remove(first?.id ?? '');
    const before = stub.accepted.length;
    expect((await sendB({ type: 'image', image: { id } })).statusCode).toBe(200);
    const [, second] = findUploads(buildFile('image/png', 6_001));
    expect(lastSent().image?.id).toBe(second?.id);
    expect(stub.accepted.length).toBe(before + 1);
  });

  it('a media upload that Meta lost is repeated after it expires', async () => {
    const id = await uploadFile('image/png', 6_002);
    await sendB({ type: 'image', image: { id } });
    await heliograph.deps.prisma.mediaUpload.updateMany({ where: { mediaId: id }, data: { expiresAt: new Date() } });
    await sendB({ type: 'image', image: { id } });
    expect(findUploads(buildFile('image/png', 6_002))).toHaveLength(2);
  });

  it('a media upload that Meta lost is repeated at most once if Meta refuses the message for another reason', async () => {
    const id = await uploadFile('image/png', 6_003);
    await sendB({ type: 'image', image: { id } });
    let attempts = 0;
    stub.fault = () => {
      attempts += 1;
      return new MetaRefusal(131009, 'Parameter value is not valid');
    };
    const refused = await sendB({ type: 'image', image: { id } });
    expect([refused.statusCode, refused.json().error.code, attempts]).toEqual([400, 'CARRIER_REFUSED', 2]);
  });
});

describe('failed uploads', () => {
  it('a failed media upload fails the message, which is refunded', async () => {
    const id = await uploadFile('image/png', 7_001);
    stub.media.fault = () => new MetaRefusal(131053, 'Media upload error');
    const before = await readBalance(heliograph.deps, channel.account.id);
    const refused = await sendB({ type: 'image', image: { id } });
    expect([refused.statusCode, refused.json().error.code]).toEqual([400, 'CARRIER_REFUSED']);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(before);
  });

  it('a failed media upload is retried after an internal error of Meta', async () => {
    const id = await uploadFile('image/png', 7_002);
    let attempts = 0;
    stub.media.fault = () => {
      attempts += 1;
      return attempts === 1 ? new MetaRefusal(131000, 'Something went wrong', { status: 500 }) : null;
    };
    const sent = await sendB({ type: 'image', image: { id } });
    await waitForStatus(heliograph, [sent.json().data.messageId], 'sent');
    expect(attempts).toBe(2);
  });

  it('a scheduled message fails and is refunded if its file was deleted', async () => {
    const id = await uploadFile('image/png', 7_003);
    const before = await readBalance(heliograph.deps, channel.account.id);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const sent = await sendA({ type: 'image', image: { id }, scheduled_at: later });
    expect(sent.statusCode, sent.body).toBe(200);
    await call(heliograph, channel, 'DELETE', `/media/${id}`);
    const messageId = sent.json().data[0].message_id;
    const { pool } = heliograph.deps;
    await pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [messageId],
    );
    await waitForStatus(heliograph, [messageId], 'failed');
    const failed = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(failed).toMatchObject({ errorCode: 'MEDIA_NOT_FOUND' });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(before);
  });
});

it('the simulator accepts files', async () => {
  const simulated = await createTestChannel(heliograph.deps);
  await openWindow(simulated);
  const id = await uploadFile('image/png', 100, simulated);
  const sent = await sendB({ type: 'image', image: { id } }, simulated);
  expect(sent.statusCode, sent.body).toBe(200);
  expect((await sendB({ type: 'image', image: { id: newId() } }, simulated)).statusCode).toBe(404);
});
