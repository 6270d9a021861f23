/* In some countries a phone number has several forms, so a contact may write from another form than the stored one. */
import { describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { callGraph } from '../../support/graph-calls.js';
import { waitFor } from '../../support/wait-for.js';
import {
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  receiveMessage,
  stub,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

const reply = (to: string) => call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hello' });
const sendByV2 = (to: string) =>
  heliograph.app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: channel.account.headers,
    payload: { to, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' },
  });
const sendByGraph = async (to: string) => {
  const { phoneNumberId } = (
    await heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })
  ).carrierSettings as { phoneNumberId: string };
  const message = { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'Hello' } };
  return callGraph(heliograph, channel, 'POST', `/${phoneNumberId}/messages`, message);
};

describe.each([
  ['Mexico', '5215512340001', '525512340001'],
  ['Argentina', '5491123456789', '541123456789'],
  ['Brazil', '553188765432', '5531988765432'],
])('a contact who writes from %s', (_, from, otherForm) => {
  it('a contact whose number has two forms is reached with either form of the number on every surface', async () => {
    await receiveMessage({ phone: from });
    for (const to of [from, otherForm]) {
      for (const send of [reply, sendByV2, sendByGraph]) {
        const response = await send(to);
        expect(response.statusCode, `${to}: ${response.body}`).toBe(200);
      }
    }
    for (const to of [`+${from}`, `+${from.slice(0, 2)} ${from.slice(2, 5)} ${from.slice(5)}`]) {
      expect((await sendByGraph(to)).statusCode).toBe(200);
    }
    expect((await findOnlyContact()).phone).toBe(from);
    const messages = await waitFor('the messages to be sent', () => stub.accepted.length >= 8 && stub.accepted);
    expect(new Set(messages.slice(-8).map(({ body }) => body.to))).toEqual(new Set([`+${from}`, `+${otherForm}`]));
  });

  it('a contact whose number has two forms is the contact that was created with the other form of the number', async () => {
    await subscribe('contact.updated', 'contact.merged');
    const created = await call(heliograph, channel, 'POST', '/contacts', { phone: otherForm, name: 'Ada' });
    expect(created.statusCode).toBe(200);
    await receiveMessage({ phone: from }, createText('STOP'));
    expect(await findOnlyContact()).toMatchObject({ id: created.json().data.id, phone: otherForm, name: 'Ada' });
    await addTemplate(heliograph, channel, { name: 'hello_world' });
    for (const to of [from, otherForm]) {
      const response = await call(heliograph, channel, 'POST', '/messages/template', {
        ...{ to, templateName: 'hello_world', language: 'en_US' },
      });
      expect(response.json().error).toMatchObject({ code: 'OPTED_OUT' });
    }
  });

  it('a contact whose number has two forms is imported with either form of the number', async () => {
    for (const phone of [from, `+${from}`]) {
      const startResponse = await call(heliograph, channel, 'POST', '/contacts/imports', { contacts: [{ phone }] });
      const { id } = startResponse.json().data;
      const finishedImport = await waitFor('the import', async () => {
        const job = (await call(heliograph, channel, 'GET', `/contacts/imports/${id}`)).json().data;
        return job.status === 'completed' && job;
      });
      expect(finishedImport.refusedRows).toEqual([]);
    }
    expect((await listContacts()).map(({ phone }) => phone)).toEqual([from]);
  });
});
