import { expect, it } from 'vitest';
import { buildRequestBody } from '../../../src/carriers/whatsapp-cloud/send/request-body.js';
import { composeRich, type RichInput } from '../../../src/messages/compose/rich.js';
import { newId } from '../../../src/platform/ids.js';

const UNKNOWN_FIELDS = { made_up: { deep: [1, true] } };
const link = 'https://example.com/a';

it.each<[string, Record<string, unknown>]>([
  ['text', { body: 'Hello', preview_url: true }],
  ['image', { link, caption: 'Look' }],
  ['video', { id: '4711' }],
  ['audio', { id: '4711', voice: true }],
  ['sticker', { link }],
  ['document', { id: '4711', filename: 'bill.pdf' }],
  ['reaction', { message_id: 'wamid.1', emoji: '👍' }],
  ['location', { latitude: 51.5, longitude: -0.12 }],
])('a message of type %s passes unknown fields on to Meta', async (type, knownFields) => {
  const mediaObject = { ...knownFields, ...UNKNOWN_FIELDS };
  const composedMessage = await composeRich({ type, [type]: mediaObject } as unknown as RichInput, (id) => id);
  if ('notFound' in composedMessage) throw new Error(composedMessage.notFound);
  const content = JSON.parse(JSON.stringify(composedMessage.content));
  const requestBody = buildRequestBody({
    id: newId(),
    attempt: 1,
    to: '16505551234',
    body: composedMessage.body,
    content,
  });
  expect(requestBody).toMatchObject({ type, [type]: { made_up: UNKNOWN_FIELDS.made_up } });
  expect((requestBody as Record<string, unknown>)[type]).toEqual(mediaObject);
});

it('a message without unknown fields is stored without extra members', async () => {
  const { content } = (await composeRich({ type: 'audio', audio: { id: '1' } }, (id) => id)) as { content: object };
  expect(content).toEqual({ type: 'audio', mediaId: '1' });
});
