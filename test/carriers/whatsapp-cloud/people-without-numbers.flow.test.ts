import { describe, expect, it } from 'vitest';
import { loadRateCard } from '../../../src/accounts/rates.js';
import { findStragglers, recordMovedMembers } from '../../../src/features/campaigns/straggler-store.js';
import { exportContacts } from '../../../src/features/contacts/export.js';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { call } from '../../support/channel-calls.js';
import { buildExportedCsv } from '../../support/exported-contacts.js';
import { insertOldMessages } from '../../support/store/old-messages.js';
import { waitFor } from '../../support/wait-for.js';
import {
  bsuid,
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  parent,
  phone,
  receiveMessage,
  stub,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

it('authentication templates to a person without a number are refused without a charge', async () => {
  await receiveMessage({ userId: bsuid });
  const { id } = await findOnlyContact();
  await heliograph.deps.prisma.template.create({
    data: {
      id: newId(),
      accountId: channel.account.id,
      channelId: channel.channelId,
      name: 'code',
      language: 'en_US',
      category: 'AUTHENTICATION',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Your code' }],
    },
  });
  const template = { templateName: 'code', language: 'en_US' };
  for (const target of [{ contactId: id }, { userId: bsuid }, { userId: `${bsuid}x` }]) {
    const refusal = await call(heliograph, channel, 'POST', '/messages/template', { ...target, ...template });
    expect(refusal.statusCode).toBe(400);
  }
  expect(await heliograph.deps.prisma.message.count({ where: { channelId: channel.channelId } })).toBe(0);
  expect(await listContacts()).toHaveLength(1);
});

describe('people without numbers', () => {
  it('a WhatsApp user without a phone number is found by username, name and user ID', async () => {
    await receiveMessage({ userId: bsuid, username: 'ada.lovelace' });
    await receiveMessage({ userId: `${bsuid}x`, username: 'grace' });
    const searchUsernames = async (search: string) => {
      const { data } = (
        await call(heliograph, channel, 'GET', `/contacts?search=${encodeURIComponent(search)}`)
      ).json();
      return data.contacts.map((contact: { username: string }) => contact.username);
    };
    expect(await searchUsernames('lovelace')).toEqual(['ada.lovelace']);
    expect(await searchUsernames('@Ada')).toEqual(['ada.lovelace']);
    expect(await searchUsernames(`${bsuid}x`)).toEqual(['grace']);
    expect(await searchUsernames('Sheena')).toEqual(['grace', 'ada.lovelace']);
  });

  it('a WhatsApp user without a phone number is exported with user ID and username', async () => {
    await receiveMessage({ userId: bsuid, username: 'ada' });
    await call(heliograph, channel, 'POST', '/contacts', { phone });
    const parts: string[] = [];
    const scope = { channelId: channel.channelId, groupId: null };
    for await (const part of exportContacts(heliograph.deps.reads, scope)) parts.push(part);
    const rows = [{ name: 'Sheena Nelson', userId: bsuid, username: 'ada' }, { phone: `+${phone}` }];
    expect(parts.join('')).toBe(buildExportedCsv(rows, { withIds: true }));
  });

  it('a WhatsApp user without a phone number is counted and charged by the country of the user ID', async () => {
    await receiveMessage({ userId: bsuid.replace('US', 'DE') });
    const { prisma } = heliograph.deps;
    const deltas = await prisma.$queryRaw<{ prefix: string }[]>`
      SELECT prefix FROM count_deltas WHERE channel_id = ${channel.channelId}::uuid
      UNION ALL SELECT calling_code FROM hourly_counts WHERE channel_id = ${channel.channelId}::uuid`;
    expect(deltas.map(({ prefix }) => prefix)).toEqual(['49']);
    const { id } = await findOnlyContact();
    await call(heliograph, channel, 'POST', '/messages/reply', { contactId: id, message: 'Hello' });
    const message = await prisma.message.findFirstOrThrow({ where: { contactId: id } });
    const { rateCardId } = await prisma.account.findUniqueOrThrow({ where: { id: channel.account.id } });
    const { priceMicros } = await loadRateCard(prisma, rateCardId);
    expect(message.priceMicros).toBe(priceMicros('whatsapp', '49'));
  });

  it('a WhatsApp user without a phone number is erased by any ID, including messages sent with other IDs', async () => {
    await subscribe('message.received', 'message.status');
    await receiveMessage({ userId: bsuid, username: 'ada' }, createText('STOP'));
    await receiveMessage({ phone, userId: bsuid, parentUserId: parent }, createText('my secret'));
    const { id } = await findOnlyContact();
    const { pool, prisma } = heliograph.deps;
    const eraseOptions = { pool, prisma, lockedAccounts: heliograph.deps.lockedAccounts, clock: heliograph.deps.clock };
    const ref = { address: bsuid, accountId: channel.account.id, forgetsOptOuts: true };
    expect((await countTraces(eraseOptions, ref)).rows).toMatchObject({
      contacts: 1,
      'inbound messages': 2,
      'opt-outs': 3,
    });
    await erasePerson(eraseOptions, ref, { waitMs: 5_000 });
    expect((await countTraces(eraseOptions, ref)).rows).toEqual({});
    expect((await countTraces(eraseOptions, { ...ref, address: phone })).rows).toEqual({});
    for (const table of ['contacts', 'contact_identities', 'inbound_messages', 'opt_outs', 'webhook_deliveries']) {
      const rows = await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM ${table} t`);
      const traces = rows.filter(({ row }) =>
        [bsuid, phone, parent, id, 'my secret'].some((identifier) => row.includes(identifier)),
      );
      expect(traces, table).toEqual([]);
    }
  });
});

it('erasing a merged contact by its old ID removes everything about the remaining contact', async () => {
  await subscribe('contact.updated', 'contact.merged');
  await receiveMessage({ phone }, createText('1'));
  await receiveMessage({ userId: bsuid }, createText('2'));
  const [first, second] = await listContacts();
  await receiveMessage({ phone, userId: bsuid }, createText('3'));
  const { pool, prisma, lockedAccounts, clock } = heliograph.deps;
  const ref = { address: second?.id ?? '', accountId: channel.account.id };
  await erasePerson({ pool, prisma, lockedAccounts, clock }, ref, { waitMs: 5_000 });
  expect(await listContacts()).toEqual([]);
  for (const table of ['contacts', 'merged_contacts', 'merged_conversations', 'webhook_deliveries']) {
    const rows = await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM ${table} t`);
    const traces = rows.filter(
      ({ row }) =>
        [phone, bsuid, first?.id, second?.id].some((identifier) => row.includes(identifier ?? '')) &&
        !/contact\.deleted/.test(row),
    );
    expect(traces, table).toEqual([]);
  }
});

async function startCampaign(contactIds: readonly string[], progress: { cursor?: string } = {}) {
  const { prisma } = heliograph.deps;
  const owner = { accountId: channel.account.id, channelId: channel.channelId };
  const [groupId, campaignId, addedAt] = [newId(), newId(), new Date(0)];
  await prisma.contactGroup.create({ data: { id: groupId, ...owner, name: 'All', contactCount: contactIds.length } });
  await prisma.groupMember.createMany({ data: contactIds.map((contactId) => ({ groupId, contactId, addedAt })) });
  const template = { templateName: 'x', language: 'en_US', components: [] };
  const runningCampaign = { status: 'running', groupId, membersAt: new Date(), nextLook: null, ...progress } as const;
  await prisma.campaign.create({ data: { id: campaignId, ...owner, name: 'C', ...template, ...runningCampaign } });
  return { campaignId, groupId };
}

it('a running campaign still sends to a contact whose merged ID is behind its cursor', async () => {
  const { prisma, pool } = heliograph.deps;
  await receiveMessage({ phone });
  await receiveMessage({ userId: bsuid });
  const [first, second] = await listContacts();
  const { campaignId, groupId } = await startCampaign([second?.id as string], { cursor: first?.id as string });
  await receiveMessage({ phone, userId: bsuid });
  const { id } = await findOnlyContact();
  expect(await prisma.campaignStraggler.findMany()).toEqual([{ campaignId, contactId: id }]);
  expect(await findStragglers(pool, { id: campaignId, groupId }, 10)).toEqual({ owed: [id], settled: [] });
  await prisma.groupMember.deleteMany({ where: { groupId } });
  expect(await findStragglers(pool, { id: campaignId, groupId }, 10)).toEqual({ owed: [], settled: [id] });
  await prisma.groupMember.create({ data: { groupId, contactId: id, addedAt: new Date(0) } });
  expect(await findStragglers(pool, { id: campaignId, groupId }, 10)).toEqual({ owed: [id], settled: [] });
  const [messageId] = await insertOldMessages({ pool }, { from: new Date(), count: 1 });
  const { id: conversationId } = await prisma.conversation.findFirstOrThrow({ where: { contactId: id } });
  await prisma.message.update({ where: { id: messageId as string }, data: { campaignId, conversationId } });
  expect(await findStragglers(pool, { id: campaignId, groupId }, 10)).toEqual({ owed: [], settled: [id] });
  expect(await prisma.groupMember.findMany({ where: { groupId } })).toMatchObject([{ contactId: id }]);
  expect(await prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } })).toMatchObject({ contactCount: 1 });
});

it('a campaign records contacts that are moved into the batch it is processing', async () => {
  const { pool } = heliograph.deps;
  for (const phone of ['15005550181', '15005550182', '15005550183']) await receiveMessage({ phone: phone });
  const contactIds = (await listContacts()).map(({ id }) => id).sort() as [string, string, string];
  const { campaignId, groupId } = await startCampaign(contactIds);
  const [first, between, last] = contactIds;
  await inTransaction(pool, (client) =>
    recordMovedMembers(client, { id: campaignId, groupId }, { from: null, to: last, batch: [first, last] }),
  );
  expect(await findStragglers(pool, { id: campaignId, groupId }, 10)).toEqual({ owed: [between], settled: [] });
});

describe('recipients', () => {
  it.each([
    [{}, 'to'],
    [{ to: '15005550111', userId: 'US.1' }, 'userId'],
    [{ to: '15005550111', contactId: newId() }, 'contactId'],
    [{ userId: 'US.1', contactId: newId() }, 'contactId'],
    [{ userId: 'nobody' }, 'userId'],
    [{ contactId: 'nobody' }, 'contactId'],
  ])('the recipient of a send request must be given by exactly one valid field: %j gets 400', async (target, field) => {
    const refusal = await call(heliograph, channel, 'POST', '/messages/reply', { ...target, message: 'Hello' });
    expect(refusal.json()).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST', details: [{ field }] } });
    const headers = { authorization: `Bearer ${channel.account.apiKey}` };
    const payload = { ...target, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' };
    const responseOfA = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
    expect(responseOfA.json()).toMatchObject({ status: 'error', code: 400 });
  });

  it('the recipient of a send request can be a user ID or a contact ID on Surface A', async () => {
    await receiveMessage({ userId: bsuid, username: 'sheena' });
    const { id, conversation } = await findOnlyContact();
    const headers = { authorization: `Bearer ${channel.account.apiKey}` };
    const from = { from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' };
    for (const target of [{ userId: bsuid }, { contactId: id }]) {
      const acceptedBefore = stub.accepted.length;
      const sendResponse = await heliograph.app.inject({
        method: 'POST',
        url: '/v2/send',
        headers,
        payload: { ...target, ...from },
      });
      expect(sendResponse.json().data).toEqual([expect.objectContaining({ to: null, userId: bsuid, contactId: id })]);
      await waitFor('the message to be sent', async () => stub.accepted.length > acceptedBefore);
      expect(stub.accepted.at(-1)?.body).toMatchObject({ recipient: bsuid });
      const { message_id } = sendResponse.json().data[0];
      const message = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: message_id } });
      expect(message).toMatchObject({ contactId: id, conversationId: conversation?.id, recipient: bsuid });
      const response = await heliograph.app.inject({ url: `/v2/messages/${message_id}`, headers });
      expect(response.json().data).toMatchObject({ to: null, userId: bsuid, contactId: id });
    }
  });
});
