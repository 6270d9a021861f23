import { beforeAll, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { sendV2 } from '../a/requests.js';

const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;
beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
});

const send = (fields: object) =>
  sendV2(heliograph.app, channel.account, { to: '15005550111', from: channel.phoneNumber, ...fields });

it('an error about a string instead of an object shows a valid example', async () => {
  const response = await send({ type: 'text', text: 'x' });
  expect(response.statusCode).toBe(400);
  expect(response.json().message).toBe('text must be an object, such as {"body": "Hello"}');
});

it.each(['text', 'image', 'video', 'document', 'audio', 'sticker', 'location', 'reaction', 'contacts'])(
  'the example that is shown for %s is accepted',
  async (type) => {
    const { message } = (await send({ type, [type]: 'x' })).json();
    const [, exampleJson = ''] = /, such as (.*)$/.exec(message) ?? [];
    const repeatedResponse = await send({ type, [type]: JSON.parse(exampleJson) });
    expect(repeatedResponse.body).not.toContain('must be an object');
    expect(repeatedResponse.body).not.toContain('must be a list');
    // A reaction is accepted only if the message it refers to exists.
    if (type !== 'reaction') expect(repeatedResponse.statusCode, repeatedResponse.body).toBe(200);
  },
);
