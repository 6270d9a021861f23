import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import { waitFor } from '../../support/wait-for.js';
import {
  bsuid,
  buildInboundFrom,
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  listEvents,
  nextTimestamp,
  type PersonFields,
  parent,
  phone,
  post,
  receiveMessage,
  stub,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

describe('messages from people without numbers', () => {
  it('a WhatsApp message from a person without a phone number is stored, opens the reply window and triggers webhooks', async () => {
    await subscribe('message.received', 'contact.updated');
    await receiveMessage({ userId: bsuid, parentUserId: parent, username: 'sheena' });
    const contact = await findOnlyContact();
    expect(contact).toMatchObject({ phone: null, userId: bsuid, parentUserId: parent, username: 'sheena' });
    expect(contact.conversation).toMatchObject({ unreadCount: 1 });
    expect(contact.conversation?.lastInboundAt).not.toBeNull();
    const expected = { contactId: contact.id, from: null, userId: bsuid, username: 'sheena', text: 'Hi' };
    expect(await listEvents('message.received')).toEqual([expect.objectContaining(expected)]);
    expect(await listEvents('contact.updated')).toEqual([
      expect.objectContaining({ id: contact.id, phone: null, userId: bsuid, username: 'sheena', change: 'created' }),
    ]);
    const response = await call(heliograph, channel, 'GET', '/conversations');
    expect(response.json().data.conversations[0].contact).toEqual({
      phone: null,
      userId: bsuid,
      username: 'sheena',
      name: 'Sheena Nelson',
    });
  });

  it.each([
    ['`from` with a user ID', () => ({ from: bsuid })],
    ['`wa_id` with a user ID', () => ({ from: undefined, contact: { wa_id: bsuid } })],
    ['the contact only', () => ({ contact: { user_id: bsuid } })],
    ['the message only', () => ({ from_user_id: bsuid, contact: null })],
  ])('a WhatsApp message from a person without a phone number is attributed by %s', async (_, build) => {
    const { contact = {}, ...fields } = build() as { contact?: object | null };
    const messages = [{ id: `wamid.${newId()}`, timestamp: nextTimestamp(), ...createText('Hi'), ...fields }];
    await post({ messages, ...(contact && { contacts: [{ profile: { name: 'A' }, ...contact }] }) });
    expect(await findOnlyContact()).toMatchObject({ phone: null, userId: bsuid });
  });

  it('a WhatsApp message from a person without a phone number opts the person out with STOP and in again with START', async () => {
    await receiveMessage({ userId: bsuid }, { type: 'button', button: { payload: 'x', text: 'STOP' } });
    const readContact = async () => (await call(heliograph, channel, 'GET', '/contacts')).json().data.contacts[0];
    expect(await readContact()).toMatchObject({ phone: null, optedOut: true });
    const refusal = await call(heliograph, channel, 'POST', '/messages/reply', { userId: bsuid, message: 'Hello?' });
    expect(refusal.json()).toMatchObject({ success: false, error: { code: 'OPTED_OUT' } });
    await receiveMessage({ userId: bsuid }, createText('START'));
    expect(await readContact()).toMatchObject({ optedOut: false });
  });

  it('a WhatsApp message from a person without a phone number is answered with `recipient`, and statuses of the answer are applied', async () => {
    await subscribe('message.status');
    await receiveMessage({ userId: bsuid, username: 'sheena' });
    const { id } = await findOnlyContact();
    const response = await call(heliograph, channel, 'POST', '/messages/reply', { contactId: id, message: 'Hello' });
    expect(response.statusCode).toBe(200);
    const lastSent = stub.accepted.at(-1);
    expect(lastSent?.body).toMatchObject({ recipient: bsuid, type: 'text', text: { body: 'Hello' } });
    expect(lastSent?.body).not.toHaveProperty('to');
    const { messageId, whatsappMessageId } = response.json().data;
    await post({
      statuses: [{ id: whatsappMessageId, status: 'delivered', timestamp: nextTimestamp(), recipient_user_id: bsuid }],
      contacts: [{ user_id: bsuid }],
    });
    await waitFor('the status', async () => {
      const status = await call(heliograph, channel, 'GET', `/messages/status/${messageId}`);
      return status.json().data.status === 'delivered';
    });
    expect((await listEvents('message.status')).at(-1)).toMatchObject({
      contactId: id,
      to: null,
      userId: bsuid,
      username: 'sheena',
      status: 'delivered',
    });
  });
});

describe('several IDs of one person', () => {
  const listTexts = async () => {
    const { conversation } = await findOnlyContact();
    return conversation?.inbound.map(({ body }) => body).sort();
  };

  it('several IDs of one WhatsApp user merge two contacts when a message contains both IDs', async () => {
    await subscribe('contact.merged');
    await receiveMessage({ phone }, createText('1'));
    await receiveMessage({ userId: bsuid }, createText('2'));
    expect(await listContacts()).toHaveLength(2);
    const [first, second] = await listContacts();
    await receiveMessage({ phone, userId: bsuid }, createText('3'));
    expect(await listTexts()).toEqual(['1', '2', '3']);
    expect(await findOnlyContact()).toMatchObject({
      id: first?.id,
      phone,
      userId: bsuid,
      conversation: { unreadCount: 3 },
    });
    expect(await listEvents('contact.merged')).toEqual([
      expect.objectContaining({ id: first?.id, mergedContactId: second?.id, phone, userId: bsuid }),
    ]);
    const { contactCount } = await heliograph.deps.prisma.channel.findUniqueOrThrow({
      where: { id: channel.channelId },
    });
    expect(contactCount).toBe(1);
    const response = await call(heliograph, channel, 'POST', '/messages/reply', {
      contactId: second?.id,
      message: 'Hello',
    });
    expect(response.statusCode).toBe(200);
    expect(stub.accepted.at(-1)?.body).toMatchObject({ to: `+${phone}` });
  });

  it('several IDs of one WhatsApp user each identify the same contact', async () => {
    await receiveMessage({ phone, userId: bsuid, parentUserId: parent }, createText('1'));
    await receiveMessage({ parentUserId: parent }, createText('2'));
    await receiveMessage({ userId: bsuid }, createText('3'));
    await receiveMessage({ phone }, createText('4'));
    expect(await listTexts()).toEqual(['1', '2', '3', '4']);
  });

  it('several IDs of one WhatsApp user do not merge two people who share a parent user ID', async () => {
    await receiveMessage({ userId: bsuid, parentUserId: parent }, createText('1'));
    await receiveMessage({ userId: `${bsuid}x`, parentUserId: parent }, createText('2'));
    expect((await listContacts()).map(({ userId }) => userId)).toEqual([bsuid, `${bsuid}x`]);
  });

  it('several IDs of one WhatsApp user keep an opt-out of either contact after a merge', async () => {
    await receiveMessage({ phone }, createText('STOP'));
    await receiveMessage({ userId: bsuid }, createText('START'));
    await receiveMessage({ phone, userId: bsuid }, createText('Hi'));
    const [contact] = (await call(heliograph, channel, 'GET', '/contacts')).json().data.contacts;
    expect(contact).toMatchObject({ phone, userId: bsuid, optedOut: true });
    const outboundMessages = await heliograph.deps.prisma.optOut.findMany({
      where: { sender: channel.channelId, isActive: true },
    });
    expect(outboundMessages.map((message) => message.phone).sort()).toEqual([phone, bsuid].sort());
  });

  it('several IDs of one WhatsApp user stay with the conversation when the phone number moves to another person', async () => {
    await receiveMessage({ phone, userId: bsuid }, createText('1'));
    await receiveMessage({ phone, userId: `${bsuid}x` }, createText('2'));
    const [before, now] = await listContacts();
    expect(before).toMatchObject({ phone: null, userId: bsuid });
    expect(before?.conversation?.inbound.map(({ body }) => body)).toEqual(['1']);
    expect(now).toMatchObject({ phone, userId: `${bsuid}x` });
    expect(now?.conversation?.inbound.map(({ body }) => body)).toEqual(['2']);
  });
});

describe('ID reports', () => {
  const reportIdChange = (ids: PersonFields, node: object) =>
    post({ messages: buildInboundFrom(ids, { type: 'system', system: node }).messages });

  it('a report of Meta about IDs links both IDs in a status, without creating contacts', async () => {
    await receiveMessage({ phone }, createText('1'));
    const status = { status: 'delivered', recipient_id: phone, recipient_user_id: bsuid };
    await post({ statuses: [{ id: 'wamid.x', timestamp: nextTimestamp(), ...status }] });
    await receiveMessage({ userId: bsuid }, createText('2'));
    expect(await findOnlyContact()).toMatchObject({ phone, userId: bsuid });
    const strangerStatus = { status: 'read', recipient_id: '15005569999', recipient_user_id: 'US.99' };
    await post({ statuses: [{ id: 'wamid.y', timestamp: nextTimestamp(), ...strangerStatus }] });
    expect(await listContacts()).toHaveLength(1);
  });

  it('a report of Meta about IDs changes the number of the contact without opening the reply window', async () => {
    const otherPhone = `1500557${phone.slice(7)}`;
    await call(heliograph, channel, 'POST', '/contacts', { phone });
    await reportIdChange(
      { phone },
      { body: `User A changed from ${phone} to ${otherPhone}`, wa_id: otherPhone, type: 'user_changed_number' },
    );
    expect(await findOnlyContact()).toMatchObject({ phone: otherPhone, conversation: null });
    await receiveMessage({ phone: otherPhone }, createText('1'));
    await findOnlyContact();
  });

  it('a report of Meta about IDs changes the user ID of the contact and drops the old number', async () => {
    await receiveMessage({ phone, userId: bsuid }, createText('1'));
    await reportIdChange(
      {},
      { body: `User A changed from ${bsuid} to ${bsuid}n`, user_id: `${bsuid}n`, type: 'user_changed_user_id' },
    );
    expect(await findOnlyContact()).toMatchObject({ phone: null, userId: `${bsuid}n` });
    await receiveMessage({ userId: `${bsuid}n` }, createText('2'));
    await receiveMessage({ userId: bsuid }, createText('late'));
    expect((await findOnlyContact()).conversation?.inbound).toHaveLength(3);
  });

  it.each(['before', 'after'])(
    'a report of Meta about IDs keeps messages with the new ID in the same conversation if they arrive %s the report',
    async (order) => {
      await receiveMessage({ phone, userId: bsuid }, createText('1'));
      const expected = {
        user_id_update: [{ user_id: { previous: bsuid, current: `${bsuid}n` }, timestamp: nextTimestamp() }],
      };
      if (order === 'after') await post(expected, 'user_id_update');
      await receiveMessage({ userId: `${bsuid}n`, phone: `1500557${phone.slice(7)}` }, createText('2'));
      if (order === 'before') await post(expected, 'user_id_update');
      expect(await findOnlyContact()).toMatchObject({ userId: `${bsuid}n`, phone: `1500557${phone.slice(7)}` });
    },
  );

  it('a report of Meta about IDs does not take IDs from a name that imitates a change', async () => {
    const otherPhone = `1500557${phone.slice(7)}`;
    await receiveMessage({ userId: bsuid }, createText('victim'));
    await receiveMessage({ phone }, createText('1'));
    const name = `Eve changed from ${bsuid} to ${bsuid}e`;
    await reportIdChange(
      { phone },
      { body: `User ${name} changed from ${phone} to ${otherPhone}`, wa_id: otherPhone, type: 'user_changed_number' },
    );
    await reportIdChange({}, { body: `User ${name}`, wa_id: otherPhone, type: 'user_changed_number' });
    await reportIdChange(
      { phone: otherPhone },
      { body: `User ${name} changed`, user_id: `${bsuid}n`, type: 'user_changed_user_id' },
    );
    expect(
      (await listContacts()).map((contact) => [contact.userId, contact.conversation?.inbound.map(({ body }) => body)]),
    ).toEqual([
      [bsuid, ['victim']],
      [`${bsuid}n`, ['1']],
    ]);
  });

  it('a report of Meta about IDs leaves the previous owner of a number with their own messages', async () => {
    const otherPhone = `1500557${phone.slice(7)}`;
    await receiveMessage({ phone: otherPhone }, createText('somebody else'));
    await receiveMessage({ phone, userId: bsuid }, createText('1'));
    await reportIdChange(
      { phone, userId: bsuid },
      { body: 'x', wa_id: otherPhone, user_id: `${bsuid}n`, type: 'user_changed_number' },
    );
    const remaining = await listContacts();
    expect(remaining.map((contact) => [contact.phone, contact.conversation?.inbound.map(({ body }) => body)])).toEqual([
      [null, ['somebody else']],
      [otherPhone, ['1']],
    ]);
  });
});
