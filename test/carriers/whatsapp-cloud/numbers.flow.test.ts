/* Who is sent to by one number and known to Meta by another, as mobile numbers of Mexico, Brazil and Argentina are (`wa_id`). */
import { beforeEach, describe, expect, it } from 'vitest';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { waitFor } from '../../support/wait-for.js';
import {
  bsuid,
  channel,
  contacts,
  events,
  heliograph,
  listen,
  meetPeople,
  only,
  phone,
  post,
  said,
  stub,
  tick,
  write,
} from './people.js';

meetPeople();

const template = { id: '1', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
/** What Meta knows the person's number by. */
let known: string;
beforeEach(async () => {
  known = `${phone.slice(0, 1)}1${phone.slice(1)}`;
  stub.otherNumbers.set(phone, known);
  stub.templates.splice(0, Number.POSITIVE_INFINITY, { ...template, components: [{ type: 'BODY', text: 'Hello' }] });
  await addTemplate(heliograph, channel, { name: 'hello_world' });
});

const send = (to: string) =>
  call(heliograph, channel, 'POST', '/messages/template', { to, templateName: 'hello_world', language: 'en_US' });
const reply = (to: string) => call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hello' });
const identities = () =>
  heliograph.deps.prisma.contactIdentity.findMany({
    where: { channelId: channel.channelId },
    orderBy: { userId: 'asc' },
  });
/** Whose the further numbers are. */
const further = async () =>
  (await identities())
    .filter(({ userId }) => /^\d/.test(userId))
    .map(({ userId, contactId }) => ({ userId, contactId }));
/** A first template, of which is noted by what number Meta knows the person. */
async function sent(to = phone) {
  expect((await send(to)).statusCode).toBe(200);
  await waitFor('the number to be noted', async () => (await further()).length > 0);
}

describe('an answer that comes by the number that Meta knows', () => {
  it.each([
    ['a number alone', () => ({ phone: known })],
    ['a number and a user id', () => ({ phone: known, userId: bsuid })],
  ])('is of the contact that was sent to: %s', async (_, who) => {
    await listen('message.received');
    await sent();
    const { id } = await only();
    for (const body of ['1', '2']) await write(who(), said(body));
    const contact = await only();
    expect(contact).toMatchObject({ id, phone });
    expect(contact.conversation?.inbound).toHaveLength(2);
    expect((await events('message.received'))[0]).toMatchObject({ contactId: id, from: phone });
    for (const to of [phone, known]) expect((await reply(to)).statusCode).toBe(200);
    expect(await heliograph.deps.prisma.message.count({ where: { contactId: id } })).toBe(3);
    expect(await further()).toEqual([{ userId: known, contactId: id }]);
    const listed = await heliograph.app.inject({
      url: `/v2/inbound?from=${known}`,
      headers: channel.account.headers,
    });
    expect(listed.body).toContain(id);
  });

  it('blocks both numbers by STOP, and lets go of both by START', async () => {
    await sent();
    const refused = async (to: string) => (await send(to)).json().error?.code ?? null;
    await write({ phone: known }, said('STOP'));
    expect([await refused(phone), await refused(known)]).toEqual(['OPTED_OUT', 'OPTED_OUT']);
    const { id } = await only();
    const shown = await call(heliograph, channel, 'GET', `/contacts/${id}`);
    expect(shown.json().data).toMatchObject({ optedOut: true });
    await write({ phone: known }, said('START'));
    expect([await refused(phone), await refused(known)]).toEqual([null, null]);
  });

  it('blocks both numbers where the contact is blocked by hand', async () => {
    await sent();
    const { id } = await only();
    await call(heliograph, channel, 'PUT', `/contacts/${id}`, { optedOut: true });
    expect((await send(known)).json().error).toMatchObject({ code: 'OPTED_OUT' });
  });
});

describe('two contacts of which Meta says that they are one account', () => {
  it('become one, and a STOP of either counts for both numbers', async () => {
    await listen('contact.merged');
    await write({ phone: known, userId: bsuid }, said('STOP'));
    const { id } = await only();
    expect((await send(phone)).statusCode).toBe(200);
    await waitFor('the two to be one', async () => (await contacts()).length === 1);
    expect(await only()).toMatchObject({ id, phone: known, userId: bsuid });
    expect(await further()).toEqual([{ userId: phone, contactId: id }]);
    expect(await events('contact.merged')).toEqual([expect.objectContaining({ id })]);
    expect((await send(phone)).json().error).toMatchObject({ code: 'OPTED_OUT' });
    expect(await heliograph.deps.prisma.message.count({ where: { contactId: id } })).toBe(2);
  });

  it('stay two where each has a user id of its own', async () => {
    await write({ phone, userId: `${bsuid}x` });
    await write({ phone: known, userId: bsuid });
    expect((await send(phone)).statusCode).toBe(200);
    // What was begun before is done once the next is.
    const other = `${phone}9`;
    stub.otherNumbers.set(other, `${known}9`);
    await sent(other);
    expect((await contacts()).map(({ userId }) => userId)).toEqual([`${bsuid}x`, bsuid, null]);
  });
});

describe('a further number', () => {
  it('is joined with the user id that a status shows beside it', async () => {
    await sent();
    const { id } = await only();
    const status = { id: stub.taken.at(-1)?.id, status: 'delivered', timestamp: tick() };
    await post({ statuses: [{ ...status, recipient_id: known, recipient_user_id: bsuid }] });
    expect(await only()).toMatchObject({ id, phone, userId: bsuid });
  });

  it('leads what Surface A sends to the contact', async () => {
    await sent();
    const { id } = await only();
    const { account, phoneNumber: from } = channel;
    const payload = { from, channel: 'whatsapp', to: known, message: 'Hello' };
    await write({ phone: known });
    const taken = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers: account.headers, payload });
    expect(taken.statusCode).toBeLessThan(300);
    const message = { recipient: known, contactId: id };
    await waitFor('it to be of the contact', () => heliograph.deps.prisma.message.findFirst({ where: message }));
    expect(await contacts()).toHaveLength(1);
  });

  it('is not made another contact by hand, and is the contact’s where it is changed', async () => {
    await sent();
    for (const ids of [{ phone: known }, { phone: known, userId: bsuid }]) {
      const made = await call(heliograph, channel, 'POST', '/contacts', ids);
      expect(made.statusCode).toBe(409);
    }
    const { id } = await only();
    const put = (to: string) => call(heliograph, channel, 'PUT', `/contacts/${id}`, { phone: to, name: 'Ada' });
    expect((await put(`${known}5`)).statusCode).toBe(400);
    expect((await put(`+${known}`)).json().data).toMatchObject({ phone, name: 'Ada' });
  });

  it('goes to the next person with the number', async () => {
    await sent();
    await write({ phone: known, userId: bsuid }, said('1'));
    await write({ phone: known, userId: `${bsuid}x` }, said('2'));
    const [before, now] = await contacts();
    expect(before).toMatchObject({ userId: bsuid, phone: null });
    expect(now).toMatchObject({ userId: `${bsuid}x`, phone });
    expect(await further()).toEqual([{ userId: known, contactId: now?.id }]);
    await write({ phone: known }, said('3'));
    expect(await contacts()).toHaveLength(2);
  });

  it('is left with the number when the person has another', async () => {
    await sent();
    const { id } = await only();
    const system = { type: 'user_changed_number', wa_id: `${phone}7`, body: '' };
    await write({ phone: known }, { type: 'system', system });
    expect(await only()).toMatchObject({ id, phone: `${phone}7` });
    expect(await further()).toEqual([]);
    await write({ phone: known }, said('Hi'));
    expect(await contacts()).toHaveLength(2);
  });

  it('finds the person who is erased, and goes with it', async () => {
    await sent();
    await write({ phone: known }, said('STOP'));
    const { pool, prisma, held, clock } = heliograph.deps;
    const ref = { phone: known, accountId: channel.account.id, forgetsOptOuts: true };
    await erasePerson({ pool, prisma, held, clock }, ref, { waitMs: 5_000 });
    expect(await identities()).toEqual([]);
    for (const each of [phone, known])
      expect((await countTraces({ pool, prisma, held, clock }, { ...ref, phone: each })).rows).toEqual({});
  });
});

it('is not noted where Meta knows the number by itself', async () => {
  stub.otherNumbers.delete(phone);
  expect((await send(phone)).statusCode).toBe(200);
  const other = `${phone}9`;
  stub.otherNumbers.set(other, `${known}9`);
  await sent(other);
  expect((await further()).map(({ userId }) => userId)).toEqual([`${known}9`]);
});
