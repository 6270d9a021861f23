/* Some countries have several forms of one number, so contacts may write from another form than was stored. */
import { describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { callGraph } from '../../support/graph-calls.js';
import { waitFor } from '../../support/wait-for.js';
import {
  channel,
  heliograph,
  listContacts,
  onlyContact,
  receiveMessage,
  stub,
  subscribe,
  textContent,
  usePeople,
} from './people.js';

usePeople();

const reply = (to: string) => call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hello' });
const v2 = (to: string) =>
  heliograph.app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: channel.account.headers,
    payload: { to, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' },
  });
const graph = async (to: string) => {
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
      for (const send of [reply, v2, graph]) {
        const response = await send(to);
        expect(response.statusCode, `${to}: ${response.body}`).toBe(200);
      }
    }
    for (const to of [`+${from}`, `+${from.slice(0, 2)} ${from.slice(2, 5)} ${from.slice(5)}`]) {
      expect((await graph(to)).statusCode).toBe(200);
    }
    expect((await onlyContact()).phone).toBe(from);
    const messages = await waitFor('the messages to be sent', () => stub.accepted.length >= 8 && stub.accepted);
    expect(new Set(messages.slice(-8).map(({ body }) => body.to))).toEqual(new Set([`+${from}`, `+${otherForm}`]));
  });

  it('a contact whose number has two forms is the contact that was created with the other form of the number', async () => {
    await subscribe('contact.updated', 'contact.merged');
    const created = await call(heliograph, channel, 'POST', '/contacts', { phone: otherForm, name: 'Ada' });
    expect(created.statusCode).toBe(200);
    await receiveMessage({ phone: from }, textContent('STOP'));
    expect(await onlyContact()).toMatchObject({ id: created.json().data.id, phone: otherForm, name: 'Ada' });
    await addTemplate(heliograph, channel, { name: 'hello_world' });
    for (const to of [from, otherForm]) {
      const sent = await call(heliograph, channel, 'POST', '/messages/template', {
        ...{ to, templateName: 'hello_world', language: 'en_US' },
      });
      expect(sent.json().error).toMatchObject({ code: 'OPTED_OUT' });
    }
  });

  it('a contact whose number has two forms is imported with either form of the number', async () => {
    for (const phone of [from, `+${from}`]) {
      const started = await call(heliograph, channel, 'POST', '/contacts/imports', { contacts: [{ phone }] });
      const { id } = started.json().data;
      const done = await waitFor('the import', async () => {
        const job = (await call(heliograph, channel, 'GET', `/contacts/imports/${id}`)).json().data;
        return job.status === 'completed' && job;
      });
      expect(done.refusedRows).toEqual([]);
    }
    expect((await listContacts()).map(({ phone }) => phone)).toEqual([from]);
  });
});
