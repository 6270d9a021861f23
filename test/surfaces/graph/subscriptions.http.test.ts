import { expect, it } from 'vitest';
import { createChannelKey } from '../../../src/accounts/keys.js';
import { createMetaChannel } from '../../carriers/whatsapp-cloud/meta-channel.js';
import type { TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { callGraph } from '../../support/graph-calls.js';
import { openMetaEndpoint } from '../../support/meta-endpoint.js';
import { graphSuite } from './graph-suite.js';

const suite = graphSuite({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(openMetaEndpoint);

it('subscribing creates a webhook for each number the token can use, and leaves others unchanged', async () => {
  const { heliograph, stub, channel: firstChannel, businessAccountId } = suite;
  const { account } = firstChannel;
  const secondChannel = await createMetaChannel(heliograph, stub, { account, phoneNumberId: '106540352242923' });
  const otherChannel = await createMetaChannel(heliograph, stub, { phoneNumberId: '106540352242924' });
  const keyOfBoth = await createChannelKey(heliograph.deps.prisma, {
    accountId: account.id,
    name: 'Both',
    scopes: ['full'],
    channelIds: [firstChannel.channelId, secondChannel.channelId],
  });
  const callerOfBoth = {
    headers: { ...firstChannel.headers, 'x-api-key': keyOfBoth.key, 'x-api-secret': keyOfBoth.secret },
  };
  const request = async (
    caller: Pick<TestChannel, 'headers'>,
    method: 'GET' | 'POST' | 'DELETE',
    edge: string,
    body?: object,
  ) => {
    const response = await callGraph(heliograph, caller, method, `/${businessAccountId}/${edge}`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };
  const listActiveWebhooks = async () => {
    const where = { url: endpoint.url, isActive: true };
    const rows = await heliograph.deps.prisma.webhook.findMany({ where });
    return rows.map(({ channelId }) => channelId).sort();
  };
  const sortedIds = (...channels: TestChannel[]) => channels.map(({ channelId }) => channelId).sort();

  expect((await request(callerOfBoth, 'GET', 'phone_numbers?fields=id')).data).toEqual([
    { id: '106540352242922' },
    { id: '106540352242923' },
  ]);
  const override = { override_callback_uri: endpoint.url, verify_token: 'a-word' };
  await Promise.all(Array.from({ length: 5 }, () => request(callerOfBoth, 'POST', 'subscribed_apps', override)));
  await request(callerOfBoth, 'POST', 'subscribed_apps', { ...override, verify_token: 'another-word' });
  const verifyTokens = await heliograph.deps.prisma.webhook.findMany({ select: { verifyToken: true } });
  expect(verifyTokens).toEqual([{ verifyToken: 'another-word' }, { verifyToken: 'another-word' }]);
  await request(otherChannel, 'POST', 'subscribed_apps', override);
  expect(await listActiveWebhooks()).toEqual(sortedIds(firstChannel, secondChannel, otherChannel));
  expect((await request(callerOfBoth, 'GET', 'subscribed_apps')).data).toEqual([
    {
      whatsapp_business_api_data: { id: expect.any(String), name: 'Heliograph', link: expect.any(String) },
      override_callback_uri: endpoint.url,
    },
  ]);
  await request(secondChannel, 'DELETE', 'subscribed_apps');
  expect(await listActiveWebhooks()).toEqual(sortedIds(firstChannel, otherChannel));
  await request(callerOfBoth, 'DELETE', 'subscribed_apps');
  expect(await listActiveWebhooks()).toEqual(sortedIds(otherChannel));
  expect(await request(callerOfBoth, 'GET', 'subscribed_apps')).toEqual({ data: [] });
  await request(callerOfBoth, 'POST', 'subscribed_apps');
  expect(await listActiveWebhooks()).toEqual(sortedIds(firstChannel, secondChannel, otherChannel));
});
