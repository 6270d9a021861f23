import { describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildToken, callGraph, readGraphIds } from '../../support/graph-calls.js';
import { buildForm, type FormField, type FormPart } from '../../support/media/calls.js';
import { buildFile, type FileType } from '../../support/media/files.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();

const PNG = buildFile('image/png', 70);
const FOR_WHATSAPP = { name: 'messaging_product', value: 'whatsapp' };

async function uploadParts(channel: TestChannel, ...parts: (FormPart | FormField)[]) {
  const { phoneNumberId } = await readGraphIds(heliograph, channel);
  const { payload, headers } = buildForm(...parts);
  return heliograph.app.inject({
    method: 'POST',
    url: `/graph/v26.0/${phoneNumberId}/media`,
    headers: { ...headers, authorization: `Bearer ${buildToken(channel)}` },
    payload,
  });
}

it('a file is uploaded, described, downloaded and deleted with the same token', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const type = { name: 'type', value: 'image/png' };
  const uploadResponse = await uploadParts(channel, FOR_WHATSAPP, type, {
    bytes: PNG,
    type: 'image/png',
    filename: 'point.png',
  });
  expect(uploadResponse.statusCode, uploadResponse.body).toBe(200);
  const { id } = uploadResponse.json();
  const get = (path: string, caller = channel) => callGraph(heliograph, caller, 'GET', path);

  const description = (await get(`/${id}`)).json();
  expect(description).toEqual({
    id,
    messaging_product: 'whatsapp',
    url: expect.stringMatching(new RegExp(`^http://.+/graph/v26\\.0/${id}/file$`)),
    mime_type: 'image/png',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    file_size: String(PNG.length),
  });
  const file = await get(`/${id}/file`);
  expect(file.headers['content-type']).toBe('image/png');
  expect(file.rawPayload.equals(PNG)).toBe(true);
  expect((await heliograph.app.inject({ url: new URL(description.url).pathname })).statusCode).toBe(401);

  const otherChannel = await createTestChannel(heliograph.deps);
  for (const path of [`/${id}`, `/${id}/file`]) {
    const foreignResponse = await get(path, otherChannel);
    expect([foreignResponse.statusCode, foreignResponse.json().error]).toMatchObject([
      400,
      { code: 100, error_subcode: 33 },
    ]);
  }
  expect((await callGraph(heliograph, otherChannel, 'DELETE', `/${id}`)).statusCode).toBe(400);
  expect((await callGraph(heliograph, channel, 'DELETE', `/${id}`)).json()).toEqual({ success: true });
  expect((await get(`/${id}`)).statusCode).toBe(400);
});

describe('form fields of an upload', () => {
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  /** Media types of the content, of the multipart part and of the form field `type`. */
  const ACCEPTED_TYPES: [FileType, part: string | undefined, field: string | undefined][] = [
    ['image/png', 'image/png', undefined],
    ['image/png', undefined, 'image/png'],
    ['image/png', 'application/octet-stream', '"image/png"'],
    ['image/jpeg', 'image/jpeg', 'image/jpg'],
    ['audio/ogg', 'audio/ogg', 'audio/ogg; codecs=opus'],
    // Files of these types begin like files of other types, so only the form field determines the type.
    [docx, undefined, docx],
    ['application/vnd.ms-excel', undefined, 'application/vnd.ms-excel'],
    ['audio/mp4', 'application/octet-stream', 'audio/mp4'],
  ];
  /** Sends the form twice: with the file last, and with the file first. */
  const sendInBothOrders = async (channel: TestChannel, file: FormPart, ...fields: FormField[]) => [
    await uploadParts(channel, ...fields, file),
    await uploadParts(channel, file, ...fields),
  ];

  it.each(ACCEPTED_TYPES)(
    'apply before and after the file: content %s, part type %s, field type %s',
    async (type, part, field) => {
      const channel = await createTestChannel(heliograph.deps);
      const fields = [FOR_WHATSAPP, ...(field === undefined ? [] : [{ name: 'type', value: field }])];
      // The file is longer than the bytes that determine its type, so writing starts before the last field arrives.
      const file = { bytes: buildFile(type, 20_000), type: part, filename: 'file' };
      for (const response of await sendInBothOrders(channel, file, ...fields)) {
        expect(response.statusCode, response.body).toBe(200);
        const descriptionResponse = await callGraph(heliograph, channel, 'GET', `/${response.json().id}`);
        expect(descriptionResponse.json()).toMatchObject({ mime_type: type, file_size: '20000' });
      }
    },
  );

  it.each([
    ['no messaging_product', [{ name: 'type', value: 'image/png' }], 'messaging_product is required'],
    ['another messaging_product', [{ name: 'messaging_product', value: 'sms' }], 'messaging_product must be whatsapp'],
    [
      'a type that does not match the content',
      [FOR_WHATSAPP, { name: 'type', value: 'image/jpeg' }],
      'file does not match its declared type: declared "image/jpeg", detected image/png',
    ],
  ])('cause a refusal without storing the file: %s', async (_what, fields, details) => {
    const channel = await createTestChannel(heliograph.deps);
    for (const response of await sendInBothOrders(channel, { bytes: PNG, type: 'image/png' }, ...fields)) {
      expect([response.statusCode, response.json().error]).toMatchObject([400, { code: 100, error_data: { details } }]);
    }
    const where = { channelId: channel.channelId };
    expect(await heliograph.deps.prisma.media.count({ where })).toBe(0);
  });

  it('cause a refusal of a document of unknown type, before and after the file', async () => {
    const channel = await createTestChannel(heliograph.deps);
    for (const response of await sendInBothOrders(
      channel,
      { bytes: buildFile(docx), filename: 'file' },
      FOR_WHATSAPP,
    )) {
      expect([response.statusCode, response.json().error.code]).toEqual([400, 100]);
    }
  });
});
