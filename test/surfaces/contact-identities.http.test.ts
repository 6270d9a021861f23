import { beforeAll, describe, expect, it } from 'vitest';
import { call, playInbound } from '../support/channel-calls.js';
import { createTestChannel } from '../support/channels.js';
import { forSuite } from '../support/for-suite.js';
import { createTestOperator, type TestOperator } from '../support/operators.js';
import { suiteApp } from '../support/suite.js';
import { waitFor } from '../support/wait-for.js';

const heliograph = suiteApp();
const channel = forSuite(() => createTestChannel(heliograph.deps));
const operator = forSuite(() => createTestOperator(heliograph)) as TestOperator;
const ADA = { userId: 'US.13491208655302741918', username: 'ada' };
const BOB = { from: '15005550112', userId: 'US.2', username: 'bob' };
let adaId: string;
let bobId: string;
/** The ID of Bob's contact before it was merged with the contact of his number. */
let formerBobId: string;

const getSurfaceA = async (path: string) => {
  const response = await heliograph.app.inject({ url: path, headers: channel.account.headers });
  return { ...response.json(), status: response.statusCode };
};
const getConsole = async (path: string) => {
  const response = await operator.ask('GET', `/accounts/${channel.account.id}${path}`);
  return { ...response.json(), status: response.statusCode };
};
const sendTo = async (contactId: string) => {
  const payload = { contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' };
  const headers = channel.account.headers;
  const sendResponse = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
  expect(sendResponse.statusCode, sendResponse.body).toBe(200);
  return sendResponse.json().data[0].message_id as string;
};
const receiveMessage = async (sender: object, text: string) =>
  (await playInbound(heliograph, channel, { ...sender, text })).json().data.contactId as string;

beforeAll(async () => {
  adaId = await receiveMessage(ADA, 'from ada');
  await receiveMessage({ from: BOB.from }, 'from bob');
  formerBobId = await receiveMessage({ userId: BOB.userId }, 'from bob by id');
  bobId = await receiveMessage(BOB, 'from bob by both');
});

describe('the person of a message', () => {
  it.each([
    ['a contact without a number', () => adaId, { to: null, ...ADA }],
    ['a contact with a number and a user ID', () => bobId, { to: BOB.from, userId: BOB.userId, username: 'bob' }],
  ])('is shown in every place that shows the message: %s', async (_, getContactId, person) => {
    const contactId = getContactId();
    const id = await sendTo(contactId);
    const expectedMessage = { message_id: id, contactId, ...person };
    expect((await getSurfaceA(`/v2/messages/${id}`)).data).toMatchObject(expectedMessage);
    expect((await getSurfaceA('/v2/messages?limit=1')).data).toMatchObject([expectedMessage]);
    // A change becomes visible only after all earlier transactions on this PostgreSQL server have ended.
    const change = await waitFor('the change', async () => {
      const { data } = await getSurfaceA('/v2/changes?limit=1000');
      return data.find((candidate: { type: string; message_id: string }) => candidate.message_id === id);
    });
    expect(change.message).toMatchObject(expectedMessage);
    const consoleMessage = { id, userId: person.userId, username: person.username, to: person.to ?? person.userId };
    expect((await getConsole(`/messages/${id}`)).data).toMatchObject({ ...consoleMessage, contactId });
    expect((await getConsole(`/messages?messageId=${id}`)).data).toMatchObject([consoleMessage]);
    expect((await getConsole('/messages?limit=1')).data).toMatchObject([consoleMessage]);
  });

  it('is absent for an SMS', async () => {
    const payload = { from: 'Shop', to: BOB.from, message: 'Hello' };
    const headers = channel.account.headers;
    const sendResponse = await heliograph.app.inject({ method: 'POST', url: '/v1.0/sms/send', headers, payload });
    const { data } = await getSurfaceA(`/v2/messages/${sendResponse.json().message_id}`);
    expect(data).toMatchObject({ to: BOB.from, userId: null, username: null });
  });
});

describe('lists filtered by sender or recipient', () => {
  const readTexts = ({ data }: { data: { message?: string; text?: string }[] }) =>
    data.map(({ message, text }) => message ?? text).sort();
  const allTexts = ['from bob', 'from bob by both', 'from bob by id'];

  it.each([
    ['a number', () => `from=${BOB.from}`, allTexts],
    ['a user ID', () => `from=${BOB.userId}`, allTexts],
    ['a contact', () => `contactId=${bobId}`, allTexts],
    ['the former ID of a contact', () => `contactId=${formerBobId}`, allTexts],
    ['a user ID without a number', () => `from=${ADA.userId}`, ['from ada']],
    ['an unknown user ID', () => 'from=US.3', []],
  ])('find inbound messages by %s', async (_, query, expectedTexts) => {
    expect(readTexts(await getSurfaceA(`/v2/inbound?${query()}`))).toEqual(expectedTexts);
  });

  it('find nothing of another account by ID', async () => {
    const otherChannel = await createTestChannel(heliograph.deps);
    for (const query of [`contactId=${bobId}`, `from=${BOB.userId}`]) {
      const response = await heliograph.app.inject({
        url: `/v2/inbound?${query}`,
        headers: otherChannel.account.headers,
      });
      expect(response.json().data).toEqual([]);
    }
  });

  it.each([
    ['contactId=x', 'contactId'],
    [`contactId=01900000-0000-7000-8000-000000000000&from=${BOB.from}`, 'contactId'],
    ['from=ada', 'from'],
  ])('refuse /v2/inbound?%s', async (query, field) => {
    const { status, data } = await getSurfaceA(`/v2/inbound?${query}`);
    expect([status, JSON.stringify(data)]).toEqual([400, expect.stringContaining(`"${field}"`)]);
  });

  it('find inbound and outbound messages in the console by user ID', async () => {
    expect(readTexts(await getConsole(`/inbound?from=${BOB.userId}`))).toEqual(allTexts);
    const id = await sendTo(adaId);
    const { data } = await getConsole(`/messages?to=${ADA.userId}`);
    expect(data.map((message: { id: string }) => message.id)).toContain(id);
    expect((await getSurfaceA(`/v2/messages?to=${ADA.userId}`)).data[0].message_id).toBe(id);
  });

  it.each(['@ada', 'Ada', ADA.userId, 'us.1349'])('find contacts and conversations by %s', async (search) => {
    await call(heliograph, channel, 'PUT', `/contacts/${adaId}`, { name: 'Ada' });
    const query = `?search=${encodeURIComponent(search)}`;
    for (const [path, list] of [
      ['/contacts', 'contacts'],
      ['/conversations', 'conversations'],
    ] as const) {
      const { data } = (await call(heliograph, channel, 'GET', path + query)).json();
      expect([path, data.total, data[list][0].contactId ?? data[list][0].id]).toEqual([path, 1, adaId]);
    }
    for (const path of ['contacts', 'conversations']) {
      const { data } = await getConsole(`/channels/${channel.channelId}/${path}${query}`);
      expect(data).toHaveLength(1);
    }
  });
});
