import { expect, it } from 'vitest';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const channel = forSuite(() => createTestChannel(heliograph.deps));

it('GET /admin/v1/accounts/:accountId/inbound lists inbound messages with their contact and conversation', async () => {
  const accountId = channel.account.id;
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId });
  const base = `/accounts/${accountId}/channels/${channel.channelId}`;
  const simulateInbound = async (from: string, text: string) =>
    (await operator.ask('POST', `${base}/simulator/inbound`, { from, text })).json().data;
  const firstMessage = await simulateInbound('15005550111', 'Hello');
  await simulateInbound('15005550112', 'Thanks');
  const list = async (query = '') => (await operator.ask('GET', `/accounts/${accountId}/inbound${query}`)).json();
  const inboundPage = await list();
  expect(inboundPage.data.map(({ text }: { text: string }) => text)).toEqual(['Thanks', 'Hello']);
  expect(inboundPage).toMatchObject({ next: null, searchedTo: null });
  expect(inboundPage.data[1]).toMatchObject({
    id: firstMessage.messageId,
    contactId: firstMessage.contactId,
    conversationId: firstMessage.conversationId,
    channelId: channel.channelId,
    from: '15005550111',
    type: 'text',
  });
  const page = await list('?limit=1');
  expect((await list(`?limit=1&cursor=${page.next}`)).data).toMatchObject([{ text: 'Hello' }]);
  expect((await list(`?from=${encodeURIComponent('+1 500 555 0111')}`)).data).toMatchObject([{ text: 'Hello' }]);
  expect((await list('?kind=sms')).data).toEqual([]);
  expect((await list(`?to=${inboundPage.data[0].to}`)).data).toHaveLength(2);
  expect(
    (await list('?kind=fax&from=4479*')).error.details.map(({ field }: { field: string }) => field).sort(),
  ).toEqual(['from', 'kind']);
  const contact = (await operator.ask('GET', `${base}/contacts/${firstMessage.contactId}`)).json().data;
  expect(contact.conversationId).toBe(firstMessage.conversationId);
});
