import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, playInbound } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { callGraph, readGraphIds } from '../../support/graph-calls.js';
import { openMetaEndpoint } from '../../support/meta-endpoint.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const ADA = '15005550441';
const SECRET = '3c9909afec25354d551dae21590bb26e';
const VERIFY = 'a-word-of-ours';

interface Change {
  field: string;
  value: {
    messaging_product: string;
    metadata: { display_phone_number: string; phone_number_id: string };
    contacts?: Record<string, unknown>[];
    messages?: Record<string, unknown>[];
    statuses?: Record<string, unknown>[];
  };
}

const client = openForSuite(openMetaEndpoint);
const heliograph = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
let channel: TestChannel;
let ids: Awaited<ReturnType<typeof readGraphIds>>;

const META = { format: 'meta', events: ['message.received', 'message.status'], verifyToken: VERIFY };
const create = (body: object = {}, target = channel) =>
  call(heliograph, target, 'POST', '/webhooks', { url: client.url, ...META, ...body });
const listValues = () =>
  client.webhooks.map(({ body }) => {
    const { object, entry } = JSON.parse(body) as { object: string; entry: { id: string; changes: Change[] }[] };
    expect(object).toBe('whatsapp_business_account');
    expect(entry.map(({ id }) => id)).toEqual([ids.businessAccountId]);
    expect(entry[0]?.changes.map(({ field }) => field)).toEqual(['messages']);
    return entry[0]?.changes[0]?.value as Change['value'];
  });
const listMessages = () => listValues().flatMap((value) => value.messages ?? []);
const listStatuses = (id: string) =>
  listValues()
    .flatMap((value) => value.statuses ?? [])
    .filter((status) => status.id === id);
/** Waits for all statuses of a message, so that none arrives during the next test. */
const waitForStatuses = (id: string, count: number) =>
  waitFor('the statuses', async () => {
    const statuses = listStatuses(id);
    return statuses.length === count && statuses;
  });
const play = async (message: object) => {
  const response = await playInbound(heliograph, channel, message);
  expect(response.statusCode, response.body).toBe(200);
};
const sendGraph = (payload: object) =>
  callGraph(heliograph, channel, 'POST', `/${ids.phoneNumberId}/messages`, {
    messaging_product: 'whatsapp',
    ...payload,
  });

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  ids = await readGraphIds(heliograph, channel);
  await addTemplate(heliograph, channel, { name: 'hello_world' });
});

beforeEach(() => {
  client.webhooks.length = 0;
  client.behaviour.answers = (query) => query.get('hub.challenge') ?? '';
  client.behaviour.status = 200;
});

describe('a webhook in Meta’s format', () => {
  it('a webhook in Meta’s format is created after its endpoint passed the verification, and signs with the given app secret', async () => {
    const response = await create({ appSecret: SECRET });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json().data).toMatchObject({ format: 'meta', secret: SECRET, isActive: true });
    const query = client.challenges.at(-1);
    expect(query?.get('hub.mode')).toBe('subscribe');
    expect(query?.get('hub.verify_token')).toBe(VERIFY);
    expect(query?.get('hub.challenge')).toMatch(/^\d{10}$/);
    const listResponse = await call(heliograph, channel, 'GET', '/webhooks');
    expect(listResponse.body).not.toContain(SECRET);
    expect(listResponse.body).not.toContain(VERIFY);
  });

  it('a webhook in Meta’s format reports inbound messages like Meta, signed over the raw body', async () => {
    await play({ from: ADA, text: 'Hello', id: 'wamid.in-1' });
    await waitFor('the message', async () => listMessages().length === 1);
    expect(listValues()[0]).toEqual({
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: channel.phoneNumber, phone_number_id: ids.phoneNumberId },
      contacts: [{ profile: { name: ADA }, wa_id: ADA }],
      messages: [
        {
          from: ADA,
          id: 'wamid.in-1',
          timestamp: expect.stringMatching(/^\d{10}$/),
          type: 'text',
          text: { body: 'Hello' },
        },
      ],
    });
    const [{ body, signature, id }] = client.webhooks as [(typeof client.webhooks)[number]];
    expect(signature).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a webhook in Meta’s format has the content of every message in a field named like its type', async () => {
    const kinds: [string, object, object][] = [
      [
        'image',
        { payload: { id: '7', mime_type: 'image/jpeg', sha256: 'x', caption: 'Look' } },
        { id: expect.stringMatching(/^[0-9a-f-]{36}$/), caption: 'Look' },
      ],
      ['location', { payload: { latitude: 52.5, longitude: 13.4 } }, { latitude: 52.5, longitude: 13.4 }],
      ['button', { text: 'Yes' }, { text: 'Yes', payload: 'Yes' }],
      [
        'interactive',
        { payload: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } },
        { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      ],
      [
        'sticker',
        { payload: { id: '8', animated: false } },
        { id: expect.stringMatching(/^[0-9a-f-]{36}$/), animated: false },
      ],
    ];
    for (const [type, played] of kinds) await play({ from: ADA, type, ...played });
    await waitFor('the messages', async () => listMessages().length === kinds.length);
    for (const [type, , expected] of kinds) {
      expect(listMessages().find((message) => message.type === type)).toMatchObject({ type, [type]: expected });
    }
    await play({ from: ADA, type: 'contacts', payload: { contacts: [{ name: { formatted_name: 'Bo' } }] } });
    await waitFor('the card', async () => listMessages().some(({ type }) => type === 'contacts'));
    expect(listMessages().find(({ type }) => type === 'contacts')?.contacts).toEqual([
      { name: { formatted_name: 'Bo' } },
    ]);
  });

  it('a webhook in Meta’s format identifies people without a number by their user IDs', async () => {
    await play({
      userId: 'US.13491208655302741918',
      parentUserId: 'US.ENT.506847293015824',
      username: '@ada',
      text: 'Hi',
    });
    await waitFor('the message', async () => listMessages().length === 1);
    expect(listValues()[0]?.contacts).toEqual([
      {
        profile: { name: 'ada', username: 'ada' },
        user_id: 'US.13491208655302741918',
        parent_user_id: 'US.ENT.506847293015824',
      },
    ]);
    expect(listMessages()[0]).toMatchObject({
      from_user_id: 'US.13491208655302741918',
      from_parent_user_id: 'US.ENT.506847293015824',
    });
    expect(listMessages()[0]).not.toHaveProperty('from');
    const response = await sendGraph({ recipient: 'US.13491208655302741918', text: { body: 'Hello' } });
    expect(response.json().contacts).toEqual([
      { input: 'US.13491208655302741918', user_id: 'US.13491208655302741918' },
    ]);
    const statuses = await waitForStatuses(response.json().messages[0].id, 2);
    expect(statuses.map(({ status }) => status).sort()).toEqual(['delivered', 'sent']);
    for (const status of statuses) {
      expect(status).toMatchObject({
        recipient_user_id: 'US.13491208655302741918',
        recipient_parent_user_id: 'US.ENT.506847293015824',
      });
      expect(status).not.toHaveProperty('recipient_id');
    }
  });

  it('a webhook in Meta’s format reports statuses with the message ID and callback data of the send', async () => {
    const template = { name: 'hello_world', language: { code: 'en_US' } };
    const to = '15005550006';
    const response = await sendGraph({ to, type: 'template', template, biz_opaque_callback_data: 'order=7' });
    const { id } = response.json().messages[0];
    const statuses = await waitForStatuses(id, 3);
    expect(statuses.map(({ status }) => status).sort()).toEqual(['delivered', 'read', 'sent']);
    for (const status of statuses) {
      expect(status).toEqual({
        id,
        status: expect.any(String),
        timestamp: expect.stringMatching(/^\d{10}$/),
        recipient_id: to,
        biz_opaque_callback_data: 'order=7',
      });
    }
  });

  it('a webhook in Meta’s format reports a failure with one of Meta’s codes', async () => {
    const template = { name: 'hello_world', language: { code: 'en_US' } };
    const response = await sendGraph({ to: '15005550002', type: 'template', template });
    const statuses = await waitForStatuses(response.json().messages[0].id, 2);
    expect(statuses.map(({ status }) => status).sort()).toEqual(['failed', 'sent']);
    expect(statuses.find(({ status }) => status === 'failed')).toMatchObject({
      errors: [{ code: 131026, title: expect.any(String), error_data: { details: expect.any(String) } }],
    });
  });

  it('a webhook in Meta’s format refers to quoted messages and reactions by the message ID of the send', async () => {
    await play({ from: ADA, text: 'Hi again' });
    const { id } = (await sendGraph({ to: ADA, text: { body: 'Hello' } })).json().messages[0];
    const row = await waitFor('the carrier', () =>
      heliograph.deps.prisma.message.findFirst({
        where: { channelId: channel.channelId, recipient: ADA, carrierMessageId: { not: null } },
        orderBy: { id: 'desc' },
      }),
    );
    await waitForStatuses(id, 2);
    await waitFor('the first message', async () => listMessages().length === 1);
    client.webhooks.length = 0;
    await play({ from: ADA, type: 'reaction', payload: { message_id: row.carrierMessageId, emoji: '👍' } });
    await play({
      from: ADA,
      payload: { body: 'That one', context: { from: '1', id: row.carrierMessageId } },
      text: 'That one',
    });
    await play({ from: ADA, text: 'Another', payload: { body: 'Another', context: { id: 'wamid.elsewhere' } } });
    const listReferring = () =>
      listMessages().filter(({ type, context }) => type === 'reaction' || context !== undefined);
    await waitFor('the messages', async () => listReferring().length === 3);
    expect(listMessages().find(({ type }) => type === 'reaction')?.reaction).toEqual({ message_id: id, emoji: '👍' });
    expect(listMessages().map(({ context }) => context)).toContainEqual({ from: '1', id });
    expect(listMessages().map(({ context }) => context)).toContainEqual({ id: 'wamid.elsewhere' });
  });

  it('a webhook in Meta’s format logs the sent body, and replays it unchanged', async () => {
    await play({ from: ADA, text: 'To be logged' });
    await waitFor('the message', async () => client.webhooks.length === 1);
    const { webhooks } = (await call(heliograph, channel, 'GET', '/webhooks')).json().data;
    const [{ id }] = webhooks;
    const delivery = await waitFor('the log', async () => {
      const { deliveries } = (await call(heliograph, channel, 'GET', `/webhooks/${id}/deliveries`)).json().data;
      return deliveries.find(
        (request: { body: string; status: string }) =>
          request.body === client.webhooks[0]?.body && request.status === 'delivered',
      );
    });
    await call(heliograph, channel, 'POST', `/webhooks/${id}/deliveries/${delivery.id}/replay`);
    await waitFor('the replay', async () => client.webhooks.length === 2);
    expect(client.webhooks[1]).toEqual(client.webhooks[0]);
    const test = await call(heliograph, channel, 'POST', `/webhooks/${id}/test`);
    expect(JSON.parse(test.json().data.body).entry[0].changes[0].value).toEqual({
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: channel.phoneNumber, phone_number_id: ids.phoneNumberId },
    });
  });

  it('a webhook in Meta’s format signs only with the new app secret after a rotation', async () => {
    const { webhooks } = (await call(heliograph, channel, 'GET', '/webhooks')).json().data;
    const rotation = await call(heliograph, channel, 'POST', `/webhooks/${webhooks[0].id}/rotate-secret`);
    const { secret, previousSecretExpiresAt } = rotation.json().data;
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    expect(previousSecretExpiresAt).toBeNull();
    client.webhooks.length = 0;
    await play({ from: ADA, text: 'Signed again' });
    const { body, signature } = await waitFor('the message', () =>
      client.webhooks.find((request) => request.body.includes('Signed again')),
    );
    expect(signature).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  });

  it('a webhook in Meta’s format verifies the endpoint again after a change of URL or verify token, and does not change if that fails', async () => {
    const { webhooks } = (await call(heliograph, channel, 'GET', '/webhooks')).json().data;
    const updateWebhook = (body: object) => call(heliograph, channel, 'PUT', `/webhooks/${webhooks[0].id}`, body);
    client.behaviour.answers = () => 'no';
    expect((await updateWebhook({ url: `${client.url}/2` })).json().error.details[0].field).toBe('url');
    expect((await updateWebhook({ verifyToken: 'another' })).statusCode).toBe(400);
    expect((await updateWebhook({ isActive: true })).statusCode).toBe(200);
    client.behaviour.answers = (query) => query.get('hub.challenge') ?? '';
    expect((await updateWebhook({ url: `${client.url}/2`, verifyToken: 'another' })).json().data.url).toBe(
      `${client.url}/2`,
    );
    expect(client.challenges.at(-1)?.get('hub.verify_token')).toBe('another');
    expect((await updateWebhook({ events: ['contact.updated'] })).json().error.details[0].field).toBe('events[0]');
  });
});

describe('a webhook in Meta’s format is refused', () => {
  it.each([
    ['without a verify token', { verifyToken: undefined }, 'verifyToken'],
    ['with an event that Meta has no word for', { events: ['contact.updated'] }, 'events[0]'],
    ['with an unknown format', { format: 'xml' }, 'format'],
    [
      'with an app secret in the standard format',
      { format: 'standard', verifyToken: undefined, appSecret: 'x' },
      'appSecret',
    ],
    ['with a verify token that has a blank', { verifyToken: 'a b' }, 'verifyToken'],
  ])('a webhook in Meta’s format is refused %s', async (_case, body, field) => {
    const response = await create(body);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error.details[0].field).toBe(field);
  });

  it('a webhook in Meta’s format is refused if its endpoint does not return the challenge', async () => {
    client.behaviour.answers = () => 'something';
    expect((await create()).json().error.message).toContain('with the challenge');
    client.behaviour.status = 403;
    expect((await create()).json().error.message).toContain('The endpoint answered 403');
    const { webhooks } = (await call(heliograph, channel, 'GET', '/webhooks')).json().data;
    expect(webhooks).toHaveLength(1);
  });

  it('a webhook in Meta’s format is refused on an SMS channel', async () => {
    const sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    expect((await create({}, sms)).json().error.details[0].field).toBe('format');
  });
});
