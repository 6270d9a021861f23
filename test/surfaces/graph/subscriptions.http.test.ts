import { expect, it } from 'vitest';
import { createChannelKey } from '../../../src/accounts/keys.js';
import { createMetaChannel } from '../../carriers/whatsapp-cloud/meta-channel.js';
import type { TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { callGraph } from '../../support/graph-calls.js';
import { openMetaEndpoint } from '../../support/meta-endpoint.js';
import { graphWorld } from './world.js';

const world = graphWorld({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(openMetaEndpoint);

it('subscribing creates a webhook for each number the token can use, and leaves others unchanged', async () => {
  const { heliograph, stub, channel: first, businessAccountId } = world;
  const { account } = first;
  const second = await createMetaChannel(heliograph, stub, { account, phoneNumberId: '106540352242923' });
  const stranger = await createMetaChannel(heliograph, stub, { phoneNumberId: '106540352242924' });
  const made = await createChannelKey(heliograph.deps.prisma, {
    accountId: account.id,
    name: 'Both',
    scopes: ['full'],
    channelIds: [first.channelId, second.channelId],
  });
  const both = { headers: { ...first.headers, 'x-api-key': made.key, 'x-api-secret': made.secret } };
  const ask = async (
    as: Pick<TestChannel, 'headers'>,
    method: 'GET' | 'POST' | 'DELETE',
    edge: string,
    body?: object,
  ) => {
    const response = await callGraph(heliograph, as, method, `/${businessAccountId}/${edge}`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };
  const active = async () => {
    const where = { url: endpoint.url, isActive: true };
    const rows = await heliograph.deps.prisma.webhook.findMany({ where });
    return rows.map(({ channelId }) => channelId).sort();
  };
  const sorted = (...channels: TestChannel[]) => channels.map(({ channelId }) => channelId).sort();

  expect((await ask(both, 'GET', 'phone_numbers?fields=id')).data).toEqual([
    { id: '106540352242922' },
    { id: '106540352242923' },
  ]);
  const override = { override_callback_uri: endpoint.url, verify_token: 'a-word' };
  await Promise.all(Array.from({ length: 5 }, () => ask(both, 'POST', 'subscribed_apps', override)));
  await ask(both, 'POST', 'subscribed_apps', { ...override, verify_token: 'another-word' });
  const words = await heliograph.deps.prisma.webhook.findMany({ select: { verifyToken: true } });
  expect(words).toEqual([{ verifyToken: 'another-word' }, { verifyToken: 'another-word' }]);
  await ask(stranger, 'POST', 'subscribed_apps', override);
  expect(await active()).toEqual(sorted(first, second, stranger));
  expect((await ask(both, 'GET', 'subscribed_apps')).data).toEqual([
    {
      whatsapp_business_api_data: { id: expect.any(String), name: 'Heliograph', link: expect.any(String) },
      override_callback_uri: endpoint.url,
    },
  ]);
  await ask(second, 'DELETE', 'subscribed_apps');
  expect(await active()).toEqual(sorted(first, stranger));
  await ask(both, 'DELETE', 'subscribed_apps');
  expect(await active()).toEqual(sorted(stranger));
  expect(await ask(both, 'GET', 'subscribed_apps')).toEqual({ data: [] });
  await ask(both, 'POST', 'subscribed_apps');
  expect(await active()).toEqual(sorted(first, second, stranger));
});
