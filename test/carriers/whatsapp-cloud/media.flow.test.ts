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
const getLastSent = () => stub.accepted.at(-1)?.body as Sent;

describe('our files', () => {
  it.each<[string, FileType]>([
    ['image', 'image/png'],
    ['audio', 'audio/ogg'],
    ['video', 'video/mp4'],
    ['sticker', 'image/webp'],
    ['document', 'application/pdf'],
  ])('an uploaded file is uploaded to Meta once and reused: %s', async (type, mimeType) => {
    const id = await uploadFile(mimeType, 3_000 + type.length);
    const firstResponse = await sendB({ type, [type]: { id } });
    expect(firstResponse.statusCode, firstResponse.body).toBe(200);
    const copies = findUploads(buildFile(mimeType, 3_000 + type.length));
    expect(copies).toEqual([
      expect.objectContaining({
        mimeType,
        filename: 'menu',
        fields: { messaging_product: 'whatsapp', type: mimeType },
      }),
    ]);
    const listSentWithCopy = () => stub.accepted.filter(({ body }) => (body as Sent)[type]?.id === copies[0]?.id);
    expect(listSentWithCopy()).toHaveLength(1);
    expect((await sendA({ type, [type]: { id: id.toUpperCase() } })).statusCode).toBe(200);
    await waitFor('the second message', () => listSentWithCopy().length === 2);
    expect(findUploads(buildFile(mimeType, 3_000 + type.length))).toHaveLength(1);
  });

  it('an uploaded file is sent in the header of an interactive message or a template', async () => {
    const id = await uploadFile('image/png', 5_001);
    const header = { type: 'image', image: { id } };
    const buttons = [{ type: 'reply', reply: { id: 'a', title: 'Yes' } }];
    const interactiveMessage = {
      type: 'interactive',
      interactive: { type: 'button', header, body: { text: 'Ok?' }, action: { buttons } },
    };
    expect((await sendB(interactiveMessage)).statusCode).toBe(200);
    const [copy] = findUploads(buildFile('image/png', 5_001));
    expect(getLastSent()).toMatchObject({ interactive: { header: { image: { id: copy?.id } } } });

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
    const buildParameters = (mediaId: string) => [
      { type: 'header', parameters: [{ type: 'image', image: { id: mediaId } }] },
    ];
    const sendTemplate = (mediaId: string) =>
      call(heliograph, channel, 'POST', '/messages/template', {
        ...{ to: ADA, templateName: 'look', language: 'en_US', components: buildParameters(mediaId) },
      });
    const response = await sendTemplate(id);
    expect(response.statusCode, response.body).toBe(200);
    expect(getLastSent()).toMatchObject({ template: { components: [{ parameters: [{ image: { id: copy?.id } }] }] } });
    const unknown = await sendTemplate(newId());
    expect([unknown.statusCode, unknown.json().error.message]).toEqual([
      404,
      'components[0].parameters[0].image.id names no media of the channel',
    ]);
    const refusedOnA = await sendA({
      template_id: 'look',
      template_data: { language: { code: 'en_US' }, components: buildParameters(newId()) },
    });
    expect([refusedOnA.statusCode, refusedOnA.json().message]).toEqual([
      400,
      'template_data.components[0].parameters[0].image.id names no media of the channel',
    ]);
  });

  it('an uploaded file is not looked up if the message has a media ID from Meta', async () => {
    expect((await sendB({ type: 'image', image: { id: '4711' } })).statusCode).toBe(200);
    expect(getLastSent().image).toEqual({ id: '4711' });
  });

  it('an uploaded file is refused without a charge if it belongs to another channel or has the wrong type', async () => {
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const foreignId = await uploadFile('image/png', 100, otherChannel);
    const pdf = await uploadFile('application/pdf');
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    for (const id of [newId(), foreignId]) {
      const b = await sendB({ type: 'image', image: { id } });
      expect([b.statusCode, b.json().error]).toEqual([
        404,
        expect.objectContaining({ code: 'NOT_FOUND', message: 'image.id names no media of the channel' }),
      ]);
      const a = await sendA({ type: 'image', image: { id } });
      expect([a.statusCode, a.json().message]).toEqual([400, 'image.id names no media of the channel']);
    }
    const refusal = await sendB({ type: 'image', image: { id: pdf } });
    expect([refusal.statusCode, refusal.json().error.message]).toEqual([
      400,
      'image.id names a file of type application/pdf, which cannot be sent as image',
    ]);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('an uploaded file is uploaded once for many messages sent by two processes', async () => {
    const secondServer = await testApp({ sharesWith: heliograph });
    try {
      const id = await uploadFile('image/jpeg', 40_000);
      const recipients = Array.from({ length: 30 }, (_, index) => `1500555${1000 + index}`);
      const responses = await Promise.all(
        [heliograph, secondServer].map((app) => sendA({ to: recipients, type: 'image', image: { id } }, app)),
      );
      const ids = responses.flatMap((response) =>
        response.json().data.map((entry: { message_id: string }) => entry.message_id),
      );
      expect(ids).toHaveLength(60);
      await waitForStatus(heliograph, ids, 'sent');
      expect(findUploads(buildFile('image/jpeg', 40_000))).toHaveLength(1);
    } finally {
      await secondServer.close();
    }
  });
});

describe('lost uploads', () => {
  it('a media upload that Meta lost is repeated, and the message is sent once', async () => {
    const id = await uploadFile('image/png', 6_001);
    await sendB({ type: 'image', image: { id } });
    const [firstUpload] = findUploads(buildFile('image/png', 6_001));
    stub.media.remove(firstUpload?.id ?? '');
    const acceptedBefore = stub.accepted.length;
    expect((await sendB({ type: 'image', image: { id } })).statusCode).toBe(200);
    const [, secondUpload] = findUploads(buildFile('image/png', 6_001));
    expect(getLastSent().image?.id).toBe(secondUpload?.id);
    expect(stub.accepted.length).toBe(acceptedBefore + 1);
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
    const refusal = await sendB({ type: 'image', image: { id } });
    expect([refusal.statusCode, refusal.json().error.code, attempts]).toEqual([400, 'CARRIER_REFUSED', 2]);
  });
});

describe('failed uploads', () => {
  it('a failed media upload fails the message, which is refunded', async () => {
    const id = await uploadFile('image/png', 7_001);
    stub.media.fault = () => new MetaRefusal(131053, 'Media upload error');
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const refusal = await sendB({ type: 'image', image: { id } });
    expect([refusal.statusCode, refusal.json().error.code]).toEqual([400, 'CARRIER_REFUSED']);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('a failed media upload is retried after an internal error of Meta', async () => {
    const id = await uploadFile('image/png', 7_002);
    let attempts = 0;
    stub.media.fault = () => {
      attempts += 1;
      return attempts === 1 ? new MetaRefusal(131000, 'Something went wrong', { status: 500 }) : null;
    };
    const response = await sendB({ type: 'image', image: { id } });
    await waitForStatus(heliograph, [response.json().data.messageId], 'sent');
    expect(attempts).toBe(2);
  });

  it('a scheduled message fails and is refunded if its file was deleted', async () => {
    const id = await uploadFile('image/png', 7_003);
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const laterTime = new Date(Date.now() + 3_600_000).toISOString();
    const response = await sendA({ type: 'image', image: { id }, scheduled_at: laterTime });
    expect(response.statusCode, response.body).toBe(200);
    await call(heliograph, channel, 'DELETE', `/media/${id}`);
    const messageId = response.json().data[0].message_id;
    const { pool } = heliograph.deps;
    await pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [messageId],
    );
    await waitForStatus(heliograph, [messageId], 'failed');
    const failedMessage = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(failedMessage).toMatchObject({ errorCode: 'MEDIA_NOT_FOUND' });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });
});

it('the simulator accepts files', async () => {
  const simulatedChannel = await createTestChannel(heliograph.deps);
  await openWindow(simulatedChannel);
  const id = await uploadFile('image/png', 100, simulatedChannel);
  const response = await sendB({ type: 'image', image: { id } }, simulatedChannel);
  expect(response.statusCode, response.body).toBe(200);
  expect((await sendB({ type: 'image', image: { id: newId() } }, simulatedChannel)).statusCode).toBe(404);
});
