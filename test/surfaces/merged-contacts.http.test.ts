import { beforeEach, describe, expect, it } from 'vitest';
import { call, playInbound } from '../support/channel-calls.js';
import { addTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { forSuite } from '../support/for-suite.js';
import { buildForm } from '../support/media/calls.js';
import { buildFile } from '../support/media/files.js';
import { readBuiltOpenApi } from '../support/openapi-document.js';
import { createTestOperator, type TestOperator } from '../support/operators.js';
import { suiteApp } from '../support/suite.js';
import { freshDigits, freshName } from './b/belongings.js';

const heliograph = suiteApp();
const operator = forSuite(() => createTestOperator(heliograph)) as TestOperator;
let channel: TestChannel;
let kept: { contactId: string; conversationId: string };
let merged: typeof kept;
let groupId: string;
let automationId: string;
let fileId: string;
let users = 0;

const play = async (who: object) => (await playInbound(heliograph, channel, { ...who, text: 'Hi' })).json().data;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  users += 1;
  const [from, userId] = [freshDigits(), `US.${users}`];
  kept = await play({ from });
  merged = await play({ userId });
  await play({ from, userId });
  groupId = (await call(heliograph, channel, 'POST', '/contacts/groups', { name: freshName() })).json().data.id;
  const steps = [{ type: 'wait', seconds: 3600 }];
  const made = await call(heliograph, channel, 'POST', '/automations', { name: freshName(), steps });
  automationId = made.json().data.id;
});

interface Named {
  given?: () => PromiseLike<unknown>;
  body?: () => object;
  shows?: () => object;
}

const contact = { shows: () => ({ id: kept.contactId }) };
const conversation = { shows: () => ({ id: kept.conversationId }) };
const several = (shows: object) => ({ body: () => ({ contactIds: [merged.contactId] }), shows: () => shows });
const both = {
  body: () => ({ contactIds: [merged.contactId, kept.contactId] }),
  shows: () => ({ deleted: 1, notFound: [] }),
};
const reply = {
  body: () => ({ contactId: merged.contactId, message: 'Hello' }),
  shows: () => ({ messageId: expect.any(String) }),
};
const sent = {
  body: () => ({ contactId: merged.contactId, templateName: 'hello_world', language: 'en_US' }),
  shows: () => ({ contactId: kept.contactId, conversationId: kept.conversationId }),
};
const one = { body: () => ({ contactId: merged.contactId }) };
const run = { ...one, shows: () => ({ contactId: kept.contactId }) };
const campaign = {
  body: () => ({
    ...{ name: freshName(), groupId, templateName: 'hello_world', language: 'en_US' },
    memberVariables: [{ contactId: merged.contactId, variables: {} }],
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }),
};
const optOut = { body: () => ({ kind: 'whatsapp', sender: channel.phoneNumber, contactId: merged.contactId }) };
const B = '/api/v1';
const CONSOLE = '/admin/v1/accounts/{accountId}/channels/{channelId}';

const NAMED: Record<string, Named> = {
  'post /v2/send': {
    body: () => ({ contactId: merged.contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' }),
  },
  'post /v2/estimate': {
    body: () => ({ contactId: merged.contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' }),
  },
  [`post ${B}/messages/template`]: sent,
  [`post ${B}/messages/reply`]: reply,
  [`post ${B}/messages/send`]: {
    body: () => ({ contactId: merged.contactId, type: 'text', text: { body: 'Hello' } }),
    shows: reply.shows,
  },
  [`get ${B}/conversations/{id}`]: conversation,
  [`post ${B}/conversations/{id}/read`]: { ...conversation, body: () => ({}) },
  [`get ${B}/conversations/{id}/messages`]: { shows: () => ({ total: 3 }) },
  [`get ${B}/contacts/{id}`]: contact,
  [`put ${B}/contacts/{id}`]: {
    body: () => ({ name: 'Ada', optedOut: true }),
    shows: () => ({ id: kept.contactId, name: 'Ada' }),
  },
  [`delete ${B}/contacts/{id}`]: {},
  [`post ${B}/contacts/bulk-delete`]: both,
  [`post ${B}/contacts/groups/{groupId}/add`]: one,
  [`post ${B}/contacts/groups/{groupId}/remove`]: one,
  [`post ${B}/contacts/groups/{groupId}/bulk-add`]: several({ changed: 1, unchanged: 0 }),
  [`post ${B}/contacts/groups/{groupId}/bulk-remove`]: several({ changed: 0, unchanged: 1 }),
  [`post ${B}/automations/{id}/trigger`]: run,
  [`post ${B}/campaigns`]: campaign,
  [`post ${CONSOLE}/campaigns`]: campaign,
  [`post ${CONSOLE}/campaigns/estimate`]: campaign,
  'post /admin/v1/accounts/{accountId}/opt-outs': optOut,
  'post /admin/v1/accounts/{accountId}/opt-outs/lift': {
    ...optOut,
    given: () => call(heliograph, channel, 'PUT', `/contacts/${kept.contactId}`, { optedOut: true }),
  },
  [`get ${CONSOLE}/conversations/{conversationId}`]: conversation,
  [`get ${CONSOLE}/conversations/{conversationId}/messages`]: {},
  [`post ${CONSOLE}/conversations/{conversationId}/read`]: { ...conversation, body: () => ({}) },
  [`post ${CONSOLE}/messages/reply`]: { ...reply, shows: sent.shows },
  [`post ${CONSOLE}/messages/file`]: {
    given: async () => {
      const { payload, headers } = buildForm({ bytes: buildFile('image/png'), type: 'image/png', filename: 'box.png' });
      const url = '/api/v1/media';
      const uploaded = { method: 'POST', url, headers: { ...channel.headers, ...headers }, payload } as const;
      fileId = (await heliograph.app.inject(uploaded)).json().data.id;
    },
    body: () => ({ contactId: merged.contactId, mediaId: fileId }),
    shows: sent.shows,
  },
  [`post ${CONSOLE}/messages/template`]: sent,
  [`post ${CONSOLE}/automations/{id}/trigger`]: run,
  [`get ${CONSOLE}/contacts/{id}`]: contact,
  [`put ${CONSOLE}/contacts/{id}`]: { body: () => ({ email: 'ada@example.com' }), ...contact },
  [`delete ${CONSOLE}/contacts/{id}`]: {},
  [`post ${CONSOLE}/contacts/bulk-delete`]: both,
  [`post ${CONSOLE}/groups/{id}/add`]: several({ changed: 1, unchanged: 0 }),
  [`post ${CONSOLE}/groups/{id}/remove`]: several({ changed: 0, unchanged: 1 }),
};

function documented(): string[] {
  const { paths } = readBuiltOpenApi<{ paths: Record<string, Record<string, { requestBody?: object }>> }>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([, { requestBody = {} }]) =>
          /(?:contacts|conversations)\/\{(?:id|conversationId)\}/.test(path) ||
          /"contactIds?"/.test(JSON.stringify(requestBody)),
      )
      .map(([method]) => `${method} ${path}`),
  );
}

function ask(operation: string, { body }: Named) {
  const [method, path] = operation.split(' ') as ['get' | 'post' | 'put' | 'delete', string];
  const id = path.includes('/automations/') ? automationId : path.includes('/groups/') ? groupId : merged.contactId;
  const url = path
    .replace('{accountId}', channel.account.id)
    .replace('{channelId}', channel.channelId)
    .replace('{conversationId}', merged.conversationId)
    .replace('{groupId}', groupId)
    .replace('{id}', path.includes('/conversations/') ? merged.conversationId : id);
  const payload = body?.();
  const headers = url.startsWith('/admin')
    ? operator.headers
    : url.startsWith('/v2')
      ? channel.account.headers
      : channel.headers;
  return heliograph.app.inject({ method: method.toUpperCase() as 'GET', url, headers, ...(payload && { payload }) });
}

describe('the ID of a contact that was merged into another', () => {
  it('is tested with every operation that names a contact or a conversation', () => {
    expect(documented().sort()).toEqual(Object.keys(NAMED).sort());
  });

  it.each(Object.keys(NAMED))('refers to the remaining contact: %s', async (operation) => {
    const named = NAMED[operation] as Named;
    await named.given?.();
    const answer = await ask(operation, named);
    expect(answer.statusCode, answer.body).toBe(200);
    if (named.shows) expect(answer.json().data).toMatchObject(named.shows());
    const left = await heliograph.deps.prisma.contact.findMany({
      where: { channelId: channel.channelId },
      include: { memberships: true, conversation: true },
    });
    if (/^delete|bulk-delete/.test(operation)) {
      expect(left).toEqual([]);
    } else {
      expect(left.map(({ id }) => id)).toEqual([kept.contactId]);
      expect(left[0]?.conversation?.id).toBe(kept.conversationId);
      expect(left[0]?.memberships.length).toBe(/\/(?:bulk-)?add$/.test(operation) ? 1 : 0);
    }
  });

  it('refers to nobody in another channel, or once the contact is deleted', async () => {
    const other = await createTestChannel(heliograph.deps, channel.account);
    const path = `/contacts/${merged.contactId}`;
    expect((await call(heliograph, other, 'GET', path)).statusCode).toBe(404);
    expect((await call(heliograph, other, 'DELETE', path)).statusCode).toBe(404);
    expect((await call(heliograph, channel, 'DELETE', path)).statusCode).toBe(200);
    for (const id of [merged.contactId, kept.contactId]) {
      expect((await call(heliograph, channel, 'GET', `/contacts/${id}`)).statusCode).toBe(404);
    }
    const gone = await call(heliograph, channel, 'POST', '/contacts/bulk-delete', { contactIds: [merged.contactId] });
    expect(gone.json().data).toEqual({ deleted: 0, notFound: [merged.contactId] });
  });

  it('leads on when the contact is merged into a third', async () => {
    const [from, userId, parentUserId] = [freshDigits(), 'US.chain', 'US.ENT.chain'];
    const first = await play({ parentUserId });
    const second = await play({ from });
    const third = await play({ userId });
    await play({ from, userId });
    await play({ userId, parentUserId });
    for (const { contactId, conversationId } of [first, second, third]) {
      const found = await call(heliograph, channel, 'GET', `/contacts/${contactId}`);
      expect(found.json().data).toMatchObject({ id: first.contactId, phone: from, userId });
      const joined = await call(heliograph, channel, 'GET', `/conversations/${conversationId}`);
      expect(joined.json().data.id).toBe(first.conversationId);
    }
  });
});
