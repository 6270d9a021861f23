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
import { freshDigits, freshName } from './b/channel-resources.js';

const heliograph = suiteApp();
const operator = forSuite(() => createTestOperator(heliograph)) as TestOperator;
let channel: TestChannel;
let survivor: { contactId: string; conversationId: string };
let merged: typeof survivor;
let groupId: string;
let automationId: string;
let fileId: string;
let userCount = 0;

const receiveMessage = async (sender: object) =>
  (await playInbound(heliograph, channel, { ...sender, text: 'Hi' })).json().data;

let survivorPhone: string;
beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  userCount += 1;
  const [from, userId] = [freshDigits(), `US.${userCount}`];
  survivorPhone = from;
  survivor = await receiveMessage({ from });
  merged = await receiveMessage({ userId });
  await receiveMessage({ from, userId });
  groupId = (await call(heliograph, channel, 'POST', '/contacts/groups', { name: freshName() })).json().data.id;
  const steps = [{ type: 'wait', seconds: 3600 }];
  const createResponse = await call(heliograph, channel, 'POST', '/automations', { name: freshName(), steps });
  automationId = createResponse.json().data.id;
});

interface TestedOperation {
  given?: () => PromiseLike<unknown>;
  body?: () => object;
  shows?: () => object;
}

const contact = { shows: () => ({ id: survivor.contactId }) };
const conversationOperation = { shows: () => ({ id: survivor.conversationId }) };
const bulkOperation = (shows: object) => ({ body: () => ({ contactIds: [merged.contactId] }), shows: () => shows });
const contactOperation = {
  body: () => ({ contactIds: [merged.contactId, survivor.contactId] }),
  shows: () => ({ deleted: 1, notFound: [] }),
};
const tagOperation = {
  body: () => ({ contactIds: [merged.contactId], add: ['vip'] }),
  shows: () => ({ changed: 1, unchanged: 0 }),
};
const replyOperation = {
  body: () => ({ contactId: merged.contactId, message: 'Hello' }),
  shows: () => ({ messageId: expect.any(String) }),
};
const sendOperation = {
  body: () => ({ contactId: merged.contactId, templateName: 'hello_world', language: 'en_US' }),
  shows: () => ({ contactId: survivor.contactId, conversationId: survivor.conversationId }),
};
const contactBody = { body: () => ({ contactId: merged.contactId }) };
const runOperation = { ...contactBody, shows: () => ({ contactId: survivor.contactId }) };
const campaign = {
  body: () => ({
    ...{ name: freshName(), groupId, templateName: 'hello_world', language: 'en_US' },
    memberVariables: [{ contactId: merged.contactId, variables: {} }],
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }),
};
let campaignId: string;
const campaignChange = {
  given: async () => {
    const { body } = await call(heliograph, channel, 'POST', '/campaigns', campaign.body());
    campaignId = JSON.parse(body).data.id;
  },
  body: () => ({ memberVariables: [{ contactId: merged.contactId, variables: {} }] }),
};
const campaignTest = { ...campaignChange, body: () => ({ to: [survivorPhone], contactId: merged.contactId }) };
const optOutOperation = {
  body: () => ({ kind: 'whatsapp', sender: channel.phoneNumber, contactId: merged.contactId }),
};
const consentOperation = {
  body: () => ({ contactId: merged.contactId, purpose: 'marketing', decision: 'granted' }),
  shows: () => ({ decision: 'granted' }),
};
const B = '/api/v1';
const CONSOLE = '/admin/v1/accounts/{accountId}/channels/{channelId}';

const OPERATIONS: Record<string, TestedOperation> = {
  'post /v2/send': {
    body: () => ({ contactId: merged.contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' }),
  },
  'post /v2/estimate': {
    body: () => ({ contactId: merged.contactId, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' }),
  },
  [`post ${B}/messages/template`]: sendOperation,
  [`post ${B}/messages/reply`]: replyOperation,
  [`post ${B}/messages/send`]: {
    body: () => ({ contactId: merged.contactId, type: 'text', text: { body: 'Hello' } }),
    shows: replyOperation.shows,
  },
  [`get ${B}/conversations/{id}`]: conversationOperation,
  [`post ${B}/conversations/{id}/read`]: { ...conversationOperation, body: () => ({}) },
  [`get ${B}/conversations/{id}/messages`]: { shows: () => ({ total: 3 }) },
  [`get ${B}/contacts/{id}`]: contact,
  [`put ${B}/contacts/{id}`]: {
    body: () => ({ name: 'Ada', optedOut: true }),
    shows: () => ({ id: survivor.contactId, name: 'Ada' }),
  },
  [`delete ${B}/contacts/{id}`]: {},
  [`post ${B}/contacts/bulk-delete`]: contactOperation,
  [`post ${B}/contacts/bulk-tag`]: tagOperation,
  [`post ${B}/contacts/groups/{groupId}/add`]: contactBody,
  [`post ${B}/contacts/groups/{groupId}/remove`]: contactBody,
  [`post ${B}/contacts/groups/{groupId}/bulk-add`]: bulkOperation({ changed: 1, unchanged: 0 }),
  [`post ${B}/contacts/groups/{groupId}/bulk-remove`]: bulkOperation({ changed: 0, unchanged: 1 }),
  [`post ${B}/automations/{id}/trigger`]: runOperation,
  [`post ${B}/consents`]: consentOperation,
  [`post ${B}/consents/requests`]: {
    body: () => ({ contactId: merged.contactId, purpose: 'marketing', message: 'Reply YES' }),
    shows: replyOperation.shows,
  },
  [`get ${B}/consents/contacts/{id}`]: {},
  [`post ${B}/campaigns`]: campaign,
  [`post ${B}/campaigns/estimate`]: campaign,
  [`patch ${B}/campaigns/{id}`]: campaignChange,
  [`post ${B}/campaigns/{id}/test`]: campaignTest,
  [`post ${CONSOLE}/campaigns`]: campaign,
  [`post ${CONSOLE}/campaigns/estimate`]: campaign,
  [`patch ${CONSOLE}/campaigns/{id}`]: campaignChange,
  [`post ${CONSOLE}/campaigns/{id}/test`]: campaignTest,
  'post /admin/v1/accounts/{accountId}/opt-outs': optOutOperation,
  'post /admin/v1/accounts/{accountId}/opt-outs/lift': {
    ...optOutOperation,
    given: () => call(heliograph, channel, 'PUT', `/contacts/${survivor.contactId}`, { optedOut: true }),
  },
  [`get ${CONSOLE}/conversations/{conversationId}`]: conversationOperation,
  [`get ${CONSOLE}/conversations/{conversationId}/messages`]: {},
  [`post ${CONSOLE}/conversations/{conversationId}/read`]: { ...conversationOperation, body: () => ({}) },
  [`post ${CONSOLE}/messages/reply`]: { ...replyOperation, shows: sendOperation.shows },
  [`post ${CONSOLE}/messages/file`]: {
    given: async () => {
      const { payload, headers } = buildForm({ bytes: buildFile('image/png'), type: 'image/png', filename: 'box.png' });
      const url = '/api/v1/media';
      const uploadRequest = { method: 'POST', url, headers: { ...channel.headers, ...headers }, payload } as const;
      fileId = (await heliograph.app.inject(uploadRequest)).json().data.id;
    },
    body: () => ({ contactId: merged.contactId, mediaId: fileId }),
    shows: sendOperation.shows,
  },
  [`post ${CONSOLE}/messages/template`]: sendOperation,
  [`post ${CONSOLE}/automations/{id}/trigger`]: runOperation,
  [`get ${CONSOLE}/contacts/{id}`]: contact,
  [`put ${CONSOLE}/contacts/{id}`]: { body: () => ({ email: 'ada@example.com' }), ...contact },
  [`delete ${CONSOLE}/contacts/{id}`]: {},
  [`get ${CONSOLE}/contacts/{id}/export`]: {},
  [`get ${CONSOLE}/contacts/{id}/consents`]: {},
  [`post ${CONSOLE}/contacts/{id}/consents`]: {
    body: () => ({ purpose: 'marketing', decision: 'granted' }),
    shows: consentOperation.shows,
  },
  [`post ${CONSOLE}/contacts/bulk-delete`]: contactOperation,
  [`post ${CONSOLE}/contacts/bulk-tag`]: tagOperation,
  [`post ${CONSOLE}/groups/{id}/add`]: bulkOperation({ changed: 1, unchanged: 0 }),
  [`post ${CONSOLE}/groups/{id}/remove`]: bulkOperation({ changed: 0, unchanged: 1 }),
};

function listDocumented(): string[] {
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

function request(operation: string, { body }: TestedOperation) {
  const [method, path] = operation.split(' ') as ['get' | 'post' | 'put' | 'patch' | 'delete', string];
  const owner = /\/(automations|groups|campaigns)\//.exec(path)?.[1];
  const ids: Record<string, string> = { automations: automationId, groups: groupId, campaigns: campaignId };
  const id = (owner && ids[owner]) ?? merged.contactId;
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
  it('is tested with every operation that accepts a contact or conversation ID', () => {
    expect(listDocumented().sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it.each(Object.keys(OPERATIONS))('refers to the surviving contact: %s', async (operation) => {
    const testedOperation = OPERATIONS[operation] as TestedOperation;
    await testedOperation.given?.();
    const response = await request(operation, testedOperation);
    expect(response.statusCode, response.body).toBe(200);
    if (testedOperation.shows) expect(response.json().data).toMatchObject(testedOperation.shows());
    const remaining = await heliograph.deps.prisma.contact.findMany({
      where: { channelId: channel.channelId },
      include: { memberships: true, conversation: true },
    });
    if (/^delete|bulk-delete/.test(operation)) {
      expect(remaining).toEqual([]);
    } else {
      expect(remaining.map(({ id }) => id)).toEqual([survivor.contactId]);
      expect(remaining[0]?.conversation?.id).toBe(survivor.conversationId);
      expect(remaining[0]?.memberships.length).toBe(/\/(?:bulk-)?add$/.test(operation) ? 1 : 0);
    }
  });

  it('is unknown in another channel, and once the surviving contact is deleted', async () => {
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const path = `/contacts/${merged.contactId}`;
    expect((await call(heliograph, otherChannel, 'GET', path)).statusCode).toBe(404);
    expect((await call(heliograph, otherChannel, 'DELETE', path)).statusCode).toBe(404);
    expect((await call(heliograph, channel, 'DELETE', path)).statusCode).toBe(200);
    for (const id of [merged.contactId, survivor.contactId]) {
      expect((await call(heliograph, channel, 'GET', `/contacts/${id}`)).statusCode).toBe(404);
    }
    const deleteResponse = await call(heliograph, channel, 'POST', '/contacts/bulk-delete', {
      contactIds: [merged.contactId],
    });
    expect(deleteResponse.json().data).toEqual({ deleted: 0, notFound: [merged.contactId] });
  });

  it('refers to the last survivor after several merges', async () => {
    const [from, userId, parentUserId] = [freshDigits(), 'US.chain', 'US.ENT.chain'];
    const firstMessage = await receiveMessage({ parentUserId });
    const secondMessage = await receiveMessage({ from });
    const thirdMessage = await receiveMessage({ userId });
    await receiveMessage({ from, userId });
    await receiveMessage({ userId, parentUserId });
    for (const { contactId, conversationId } of [firstMessage, secondMessage, thirdMessage]) {
      const contactResponse = await call(heliograph, channel, 'GET', `/contacts/${contactId}`);
      expect(contactResponse.json().data).toMatchObject({ id: firstMessage.contactId, phone: from, userId });
      const conversationResponse = await call(heliograph, channel, 'GET', `/conversations/${conversationId}`);
      expect(conversationResponse.json().data.id).toBe(firstMessage.conversationId);
    }
  });
});
