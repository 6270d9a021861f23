import { expect, it } from 'vitest';
import { requestBody } from '../../../src/carriers/whatsapp-cloud/send/request-body.js';
import { composeRich, type RichInput } from '../../../src/messages/compose/rich.js';
import { newId } from '../../../src/platform/ids.js';

const FURTHER = { made_up: { deep: [1, true] } };
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
])('of type %s takes the fields that are not known here to Meta', async (type, known) => {
  const object = { ...known, ...FURTHER };
  const composed = await composeRich({ type, [type]: object } as unknown as RichInput, (id) => id);
  if ('notFound' in composed) throw new Error(composed.notFound);
  // As it is stored.
  const content = JSON.parse(JSON.stringify(composed.content));
  const sent = requestBody({ id: newId(), attempt: 1, to: '16505551234', body: composed.body, content });
  expect(sent).toMatchObject({ type, [type]: { made_up: FURTHER.made_up } });
  expect((sent as Record<string, unknown>)[type]).toEqual(object);
});

it('without further fields is stored as short as before', async () => {
  const { content } = (await composeRich({ type: 'audio', audio: { id: '1' } }, (id) => id)) as { content: object };
  expect(content).toEqual({ type: 'audio', mediaId: '1' });
});
