/*
 * Meta may know a person by a different number (`wa_id`), for example if the mobile number is Mexican, Brazilian or Argentine.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { waitFor } from '../../support/wait-for.js';
import {
  bsuid,
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  listEvents,
  nextTimestamp,
  phone,
  post,
  receiveMessage,
  stub,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

const template = { id: '1', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
let metaNumber: string;
beforeEach(async () => {
  metaNumber = `${phone.slice(0, 1)}1${phone.slice(1)}`;
  stub.differentNumbers.set(phone, metaNumber);
  stub.templates.splice(0, Number.POSITIVE_INFINITY, { ...template, components: [{ type: 'BODY', text: 'Hello' }] });
  await addTemplate(heliograph, channel, { name: 'hello_world' });
});

const send = (to: string) =>
  call(heliograph, channel, 'POST', '/messages/template', { to, templateName: 'hello_world', language: 'en_US' });
const reply = (to: string) => call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hello' });
const listIdentities = () =>
  heliograph.deps.prisma.contactIdentity.findMany({
    where: { channelId: channel.channelId },
    orderBy: { userId: 'asc' },
  });
const listAdditionalNumbers = async () =>
  (await listIdentities())
    .filter(({ userId }) => /^\d/.test(userId))
    .map(({ userId, contactId }) => ({ userId, contactId }));
async function sendFirst(to = phone) {
  expect((await send(to)).statusCode).toBe(200);
  await waitFor('the number to be stored', async () => (await listAdditionalNumbers()).length > 0);
}

describe('replies', () => {
  it.each([
    ['a number alone', () => ({ phone: metaNumber })],
    ['a number and a user id', () => ({ phone: metaNumber, userId: bsuid })],
  ])('a reply from the number that Meta knows belongs to the contact the message was sent to: %s', async (_, ids) => {
    await subscribe('message.received');
    await sendFirst();
    const { id } = await findOnlyContact();
    for (const body of ['1', '2']) await receiveMessage(ids(), createText(body));
    const contact = await findOnlyContact();
    expect(contact).toMatchObject({ id, phone });
    expect(contact.conversation?.inbound).toHaveLength(2);
    expect((await listEvents('message.received'))[0]).toMatchObject({ contactId: id, from: phone });
    for (const to of [phone, metaNumber]) expect((await reply(to)).statusCode).toBe(200);
    expect(await heliograph.deps.prisma.message.count({ where: { contactId: id } })).toBe(3);
    expect(await listAdditionalNumbers()).toEqual([{ userId: metaNumber, contactId: id }]);
    const response = await heliograph.app.inject({
      url: `/v2/inbound?from=${metaNumber}`,
      headers: channel.account.headers,
    });
    expect(response.body).toContain(id);
  });

  it('a reply from the number that Meta knows with STOP blocks both numbers, and with START unblocks both', async () => {
    await sendFirst();
    const findRefusalCode = async (to: string) => (await send(to)).json().error?.code ?? null;
    await receiveMessage({ phone: metaNumber }, createText('STOP'));
    expect([await findRefusalCode(phone), await findRefusalCode(metaNumber)]).toEqual(['OPTED_OUT', 'OPTED_OUT']);
    const { id } = await findOnlyContact();
    const response = await call(heliograph, channel, 'GET', `/contacts/${id}`);
    expect(response.json().data).toMatchObject({ optedOut: true });
    await receiveMessage({ phone: metaNumber }, createText('START'));
    expect([await findRefusalCode(phone), await findRefusalCode(metaNumber)]).toEqual([null, null]);
  });

  it('a reply from the number that Meta knows is blocked too when the contact is blocked manually', async () => {
    await sendFirst();
    const { id } = await findOnlyContact();
    await call(heliograph, channel, 'PUT', `/contacts/${id}`, { optedOut: true });
    expect((await send(metaNumber)).json().error).toMatchObject({ code: 'OPTED_OUT' });
  });
});

describe('merged contacts', () => {
  it('two contacts that Meta reports as one account are merged, and a STOP of either counts for both numbers', async () => {
    await subscribe('contact.merged');
    await receiveMessage({ phone: metaNumber, userId: bsuid }, createText('STOP'));
    const { id } = await findOnlyContact();
    expect((await send(phone)).statusCode).toBe(200);
    await waitFor('the contacts to be merged', async () => (await listContacts()).length === 1);
    expect(await findOnlyContact()).toMatchObject({ id, phone: metaNumber, userId: bsuid });
    expect(await listAdditionalNumbers()).toEqual([{ userId: phone, contactId: id }]);
    expect(await listEvents('contact.merged')).toEqual([expect.objectContaining({ id })]);
    expect((await send(phone)).json().error).toMatchObject({ code: 'OPTED_OUT' });
    expect(await heliograph.deps.prisma.message.count({ where: { contactId: id } })).toBe(2);
  });

  it('two contacts that Meta reports as one account are not merged if both have a user ID', async () => {
    await receiveMessage({ phone, userId: `${bsuid}x` });
    await receiveMessage({ phone: metaNumber, userId: bsuid });
    expect((await send(phone)).statusCode).toBe(200);
    // Background work is done in order, so the work for earlier messages is finished once the work for a later message is.
    const otherPhone = `${phone}9`;
    stub.differentNumbers.set(otherPhone, `${metaNumber}9`);
    await sendFirst(otherPhone);
    expect((await listContacts()).map(({ userId }) => userId)).toEqual([`${bsuid}x`, bsuid, null]);
  });
});

describe('additional numbers', () => {
  it('an additional number of a contact is linked with the user ID in a status', async () => {
    await sendFirst();
    const { id } = await findOnlyContact();
    const status = { id: stub.accepted.at(-1)?.id, status: 'delivered', timestamp: nextTimestamp() };
    await post({ statuses: [{ ...status, recipient_id: metaNumber, recipient_user_id: bsuid }] });
    expect(await findOnlyContact()).toMatchObject({ id, phone, userId: bsuid });
  });

  it('an additional number of a contact routes messages sent on Surface A to the contact', async () => {
    await sendFirst();
    const { id } = await findOnlyContact();
    const { account, phoneNumber: from } = channel;
    const payload = { from, channel: 'whatsapp', to: metaNumber, message: 'Hello' };
    await receiveMessage({ phone: metaNumber });
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: account.headers,
      payload,
    });
    expect(response.statusCode).toBeLessThan(300);
    const message = { recipient: metaNumber, contactId: id };
    await waitFor('the message of the contact', () => heliograph.deps.prisma.message.findFirst({ where: message }));
    expect(await listContacts()).toHaveLength(1);
  });

  it('an additional number of a contact cannot be used for a new contact, but can be used to update its contact', async () => {
    await sendFirst();
    for (const ids of [{ phone: metaNumber }, { phone: metaNumber, userId: bsuid }]) {
      const response = await call(heliograph, channel, 'POST', '/contacts', ids);
      expect(response.statusCode).toBe(409);
    }
    const { id } = await findOnlyContact();
    const updateContact = (to: string) =>
      call(heliograph, channel, 'PUT', `/contacts/${id}`, { phone: to, name: 'Ada' });
    expect((await updateContact(`${metaNumber}5`)).statusCode).toBe(400);
    expect((await updateContact(`+${metaNumber}`)).json().data).toMatchObject({ phone, name: 'Ada' });
  });

  it('an additional number of a contact moves to the next person with the number', async () => {
    await sendFirst();
    await receiveMessage({ phone: metaNumber, userId: bsuid }, createText('1'));
    await receiveMessage({ phone: metaNumber, userId: `${bsuid}x` }, createText('2'));
    const [before, now] = await listContacts();
    expect(before).toMatchObject({ userId: bsuid, phone: null });
    expect(now).toMatchObject({ userId: `${bsuid}x`, phone });
    expect(await listAdditionalNumbers()).toEqual([{ userId: metaNumber, contactId: now?.id }]);
    await receiveMessage({ phone: metaNumber }, createText('3'));
    expect(await listContacts()).toHaveLength(2);
  });

  it('an additional number of a contact is removed when the person changes the number', async () => {
    await sendFirst();
    const { id } = await findOnlyContact();
    const system = { type: 'user_changed_number', wa_id: `${phone}7`, body: '' };
    await receiveMessage({ phone: metaNumber }, { type: 'system', system });
    expect(await findOnlyContact()).toMatchObject({ id, phone: `${phone}7` });
    expect(await listAdditionalNumbers()).toEqual([]);
    await receiveMessage({ phone: metaNumber }, createText('Hi'));
    expect(await listContacts()).toHaveLength(2);
  });

  it('an additional number of a contact identifies a person to erase, and is erased too', async () => {
    await sendFirst();
    await receiveMessage({ phone: metaNumber }, createText('STOP'));
    const { pool, prisma, lockedAccounts, clock } = heliograph.deps;
    const ref = { address: metaNumber, accountId: channel.account.id, forgetsOptOuts: true };
    await erasePerson({ pool, prisma, lockedAccounts, clock }, ref, { waitMs: 5_000 });
    expect(await listIdentities()).toEqual([]);
    for (const number of [phone, metaNumber])
      expect((await countTraces({ pool, prisma, lockedAccounts, clock }, { ...ref, address: number })).rows).toEqual(
        {},
      );
  });
});

it('no additional number is stored if Meta knows the recipient by the same number', async () => {
  stub.differentNumbers.delete(phone);
  expect((await send(phone)).statusCode).toBe(200);
  const otherPhone = `${phone}9`;
  stub.differentNumbers.set(otherPhone, `${metaNumber}9`);
  await sendFirst(otherPhone);
  expect((await listAdditionalNumbers()).map(({ userId }) => userId)).toEqual([`${metaNumber}9`]);
});
