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
let ada: string;
let bob: string;
/** The ID of Bob's contact before it was merged with that of his number. */
let formerBob: string;

const surfaceA = async (path: string) => {
  const answer = await heliograph.app.inject({ url: path, headers: channel.account.headers });
  return { ...answer.json(), status: answer.statusCode };
};
const inConsole = async (path: string) => {
  const answer = await operator.ask('GET', `/accounts/${channel.account.id}${path}`);
  return { ...answer.json(), status: answer.statusCode };
};
const send = async (contactId: string) => {
  const payload = { contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' };
  const headers = channel.account.headers;
  const sent = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
  expect(sent.statusCode, sent.body).toBe(200);
  return sent.json().data[0].message_id as string;
};
const play = async (who: object, text: string) =>
  (await playInbound(heliograph, channel, { ...who, text })).json().data.contactId as string;

beforeAll(async () => {
  ada = await play(ADA, 'from ada');
  await play({ from: BOB.from }, 'from bob');
  formerBob = await play({ userId: BOB.userId }, 'from bob by id');
  bob = await play(BOB, 'from bob by both');
});

describe('the person of a message', () => {
  it.each([
    ['who has no number', () => ada, { to: null, ...ADA }],
    ['who has both', () => bob, { to: BOB.from, userId: BOB.userId, username: 'bob' }],
  ])('%s, is shown wherever the message is', async (_, contact, person) => {
    const contactId = contact();
    const id = await send(contactId);
    const shown = { message_id: id, contactId, ...person };
    expect((await surfaceA(`/v2/messages/${id}`)).data).toMatchObject(shown);
    expect((await surfaceA('/v2/messages?limit=1')).data).toMatchObject([shown]);
    // A change becomes visible only after all earlier transactions in this PostgreSQL have ended.
    const change = await waitFor('the change', async () => {
      const { data } = await surfaceA('/v2/changes?limit=1000');
      return data.find((each: { type: string; message_id: string }) => each.message_id === id);
    });
    expect(change.message).toMatchObject(shown);
    const own = { id, userId: person.userId, username: person.username, to: person.to ?? person.userId };
    expect((await inConsole(`/messages/${id}`)).data).toMatchObject({ ...own, contactId });
    expect((await inConsole(`/messages?messageId=${id}`)).data).toMatchObject([own]);
    expect((await inConsole('/messages?limit=1')).data).toMatchObject([own]);
  });

  it('is nobody for an SMS', async () => {
    const payload = { from: 'Shop', to: BOB.from, message: 'Hello' };
    const headers = channel.account.headers;
    const sent = await heliograph.app.inject({ method: 'POST', url: '/v1.0/sms/send', headers, payload });
    const { data } = await surfaceA(`/v2/messages/${sent.json().message_id}`);
    expect(data).toMatchObject({ to: BOB.from, userId: null, username: null });
  });
});

describe('lists filtered by sender or recipient', () => {
  const texts = ({ data }: { data: { message?: string; text?: string }[] }) =>
    data.map(({ message, text }) => message ?? text).sort();
  const all = ['from bob', 'from bob by both', 'from bob by id'];

  it.each([
    ['a number', () => `from=${BOB.from}`, all],
    ['a user id', () => `from=${BOB.userId}`, all],
    ['a contact', () => `contactId=${bob}`, all],
    ['the former id of a contact', () => `contactId=${formerBob}`, all],
    ['a user id without a number', () => `from=${ADA.userId}`, ['from ada']],
    ['a user id that nobody has', () => 'from=US.3', []],
  ])('/v2/inbound finds by %s', async (_, query, found) => {
    expect(texts(await surfaceA(`/v2/inbound?${query()}`))).toEqual(found);
  });

  it('finds nothing of another account by ID', async () => {
    const other = await createTestChannel(heliograph.deps);
    for (const query of [`contactId=${bob}`, `from=${BOB.userId}`]) {
      const answer = await heliograph.app.inject({ url: `/v2/inbound?${query}`, headers: other.account.headers });
      expect(answer.json().data).toEqual([]);
    }
  });

  it.each([
    ['contactId=x', 'contactId'],
    [`contactId=01900000-0000-7000-8000-000000000000&from=${BOB.from}`, 'contactId'],
    ['from=ada', 'from'],
  ])('/v2/inbound?%s is refused', async (query, field) => {
    const { status, data } = await surfaceA(`/v2/inbound?${query}`);
    expect([status, JSON.stringify(data)]).toEqual([400, expect.stringContaining(`"${field}"`)]);
  });

  it('the console finds inbound and outbound messages by user ID', async () => {
    expect(texts(await inConsole(`/inbound?from=${BOB.userId}`))).toEqual(all);
    const id = await send(ada);
    const { data } = await inConsole(`/messages?to=${ADA.userId}`);
    expect(data.map((each: { id: string }) => each.id)).toContain(id);
    expect((await surfaceA(`/v2/messages?to=${ADA.userId}`)).data[0].message_id).toBe(id);
  });

  it.each(['@ada', 'Ada', ADA.userId, 'us.1349'])('contacts and conversations are found by %s', async (search) => {
    await call(heliograph, channel, 'PUT', `/contacts/${ada}`, { name: 'Ada' });
    const query = `?search=${encodeURIComponent(search)}`;
    for (const [path, list] of [
      ['/contacts', 'contacts'],
      ['/conversations', 'conversations'],
    ] as const) {
      const { data } = (await call(heliograph, channel, 'GET', path + query)).json();
      expect([path, data.total, data[list][0].contactId ?? data[list][0].id]).toEqual([path, 1, ada]);
    }
    for (const path of ['contacts', 'conversations']) {
      const { data } = await inConsole(`/channels/${channel.channelId}/${path}${query}`);
      expect(data).toHaveLength(1);
    }
  });
});
