import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forEachTest } from '../../support/for-suite.js';
import { buildForm, type FormPart } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { createTestOperator, ORIGIN, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp();
const PHONE = '15005550141';
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const accountId = channel.account.id;
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId });
  const path = `/accounts/${accountId}/channels/${channel.channelId}`;
  expect((await playInbound(heliograph, channel, { from: PHONE, text: 'Hi' })).statusCode).toBe(200);
  return { channel, operator, path, accountId };
});

function upload(
  part: FormPart,
  operator: TestOperator = fixture.operator,
  headers: Record<string, string | undefined> = {},
) {
  const { payload, headers: formHeaders } = buildForm(part);
  const url = `/admin/v1${fixture.path}/media`;
  const allHeaders = Object.entries({ ...operator.headers, ...formHeaders, ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  return heliograph.app.inject({
    method: 'POST',
    url,
    headers: Object.fromEntries(allHeaders) as Record<string, string>,
    payload,
  });
}
const countFiles = () => heliograph.deps.prisma.media.count({ where: { channelId: fixture.channel.channelId } });
const PNG = { bytes: buildFile('image/png', 5_000), type: 'image/png', filename: 'box.png' };

describe('a file attached to a reply in the console', () => {
  it('is uploaded, sent with its caption as the detected type, and audited', async () => {
    const file = (await upload(PNG)).json().data;
    expect(file).toEqual({
      ...{ id: expect.any(String), kind: 'image', mimeType: 'image/png', size: 5_000, filename: 'box.png' },
    });
    const body = { to: PHONE, mediaId: file.id, caption: 'The box' };
    const sentMessage = (await fixture.operator.ask('POST', `${fixture.path}/messages/file`, body)).json().data;
    expect(sentMessage).toMatchObject({ status: 'sent', contactId: expect.any(String) });
    const where = { id: sentMessage.messageId as string };
    const message = await heliograph.deps.prisma.message.findUniqueOrThrow({ where });
    expect(message).toMatchObject({ body: 'The box', content: { type: 'image' } });
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({ where: { accountId: fixture.accountId } });
    expect(auditEntries).toMatchObject([{ action: 'message.reply', subject: sentMessage.messageId }]);
  });

  it.each([
    ['audio/ogg', 'audio'],
    ['video/mp4', 'video'],
    ['image/webp', 'sticker'],
    ['application/pdf', 'document'],
  ] as const)('of %s is sent as %s', async (type, kind) => {
    const { id } = (await upload({ bytes: buildFile(type), type, filename: 'a file' })).json().data;
    const sendResponse = await fixture.operator.ask('POST', `${fixture.path}/messages/file`, {
      to: PHONE,
      mediaId: id,
    });
    const where = { id: sendResponse.json().data.messageId as string };
    const { content } = await heliograph.deps.prisma.message.findUniqueOrThrow({ where });
    expect(content).toMatchObject({ type: kind, ...(kind === 'document' && { filename: 'a file' }) });
    expect(JSON.stringify(content)).toContain(id);
  });

  it('is refused for every broken rule, without leaving a file or a charge', async () => {
    const { prisma } = heliograph.deps;
    expect((await upload({ bytes: buildFile('image/png', 5 * 1024 * 1024 + 1), type: 'image/png' })).statusCode).toBe(
      413,
    );
    expect((await upload({ bytes: Buffer.from([0, 1, 2]), type: 'application/x-thing' })).statusCode).toBe(400);
    expect(await countFiles()).toBe(0);
    const audioFileId = (await upload({ bytes: buildFile('audio/ogg'), type: 'audio/ogg' })).json().data.id;
    const otherChannel = await createTestChannel(heliograph.deps, fixture.channel.account);
    const send = (body: object, path = fixture.path) => fixture.operator.ask('POST', `${path}/messages/file`, body);
    const foreignPath = `/accounts/${fixture.accountId}/channels/${otherChannel.channelId}`;
    const countBefore = await prisma.message.count();
    for (const [response, status, field] of [
      [await send({ to: PHONE, mediaId: audioFileId, caption: 'Listen' }), 400, 'caption'],
      [await send({ to: PHONE, mediaId: newId() }), 404, 'mediaId'],
      [await send({ to: PHONE, mediaId: 'x' }), 400, 'mediaId'],
      [await send({ to: PHONE }), 400, 'mediaId'],
      [await send({ mediaId: audioFileId }), 400, 'to'],
      [await send({ to: PHONE, mediaId: audioFileId }, foreignPath), 404, 'mediaId'],
      [await send({ to: PHONE, mediaId: audioFileId, caption: 'x'.repeat(1025) }), 400, 'caption'],
    ] as const) {
      const { error } = response.json();
      expect([response.statusCode, error.details?.[0]?.field], response.body).toEqual([status, field]);
    }
    expect((await send({ to: '15005550149', mediaId: audioFileId })).json().error.code).toBe('WINDOW_EXPIRED');
    expect(await prisma.message.count()).toBe(countBefore);
  });

  it('cannot be uploaded by a viewer, from another origin, or other than as a form', async () => {
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: fixture.accountId });
    const otherOperator = await createTestOperator(heliograph, {
      role: 'owner',
      accountId: (await createTestChannel(heliograph.deps)).account.id,
    });
    expect((await upload(PNG, viewer)).statusCode).toBe(403);
    expect((await upload(PNG, otherOperator)).statusCode).toBe(404);
    expect((await upload(PNG, fixture.operator, { cookie: '' })).statusCode).toBe(401);
    for (const origin of [undefined, 'https://elsewhere.example', 'null']) {
      expect((await upload(PNG, fixture.operator, { origin })).statusCode).toBe(403);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      expect(
        (await upload(PNG, fixture.operator, { origin: ORIGIN, 'content-type': type })).statusCode,
      ).toBeGreaterThanOrEqual(400);
    }
    const { payload, headers } = buildForm(PNG);
    const allHeaders = { ...fixture.operator.headers, ...headers };
    const url = `/admin/v1${fixture.path}/messages/file`;
    expect((await heliograph.app.inject({ method: 'POST', url, headers: allHeaders, payload })).statusCode).toBe(415);
    expect(await countFiles()).toBe(0);
  });

  it('cannot be sent on an SMS channel', async () => {
    const smsChannel = await createTestChannel(heliograph.deps, fixture.channel.account, { kind: 'sms' });
    const { payload, headers } = buildForm(PNG);
    const url = `/admin/v1/accounts/${fixture.accountId}/channels/${smsChannel.channelId}/media`;
    const allHeaders = { ...fixture.operator.headers, ...headers };
    expect((await heliograph.app.inject({ method: 'POST', url, headers: allHeaders, payload })).statusCode).toBe(403);
  });
});
