import { expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const channel = forSuite(() => createTestChannel(heliograph.deps));

it.each([
  ['/contacts', { phone: '15005550111', name: 'Ann' }],
  ['/contacts/groups', { name: 'Friends' }],
  ['/automations', { name: 'Later', steps: [{ type: 'wait', seconds: 60 }] }],
  ['/webhooks', { url: 'https://example.com/', events: ['message.received'] }],
])('PUT %s/:id without a body changes nothing, like {}', async (path, body) => {
  const resource = (await call(heliograph, channel, 'POST', path, body)).json().data;
  const { secret: _, ...record } = resource;
  for (const [payload, extra] of [
    [undefined, {}],
    [undefined, { 'content-type': 'application/json' }],
    [{}, {}],
  ] as const) {
    const response = await call(heliograph, channel, 'PUT', `${path}/${resource.id}`, payload, extra);
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toEqual(record);
  }
});

it('a missing body is still refused if a field is required', async () => {
  expect((await call(heliograph, channel, 'POST', '/contacts/groups')).statusCode).toBe(400);
});
