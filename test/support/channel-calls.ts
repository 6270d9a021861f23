import { newId } from '../../src/platform/ids.js';
import { balanceOf, type TestAccount } from './accounts.js';
import { createTestChannel, type TestChannel, type TestChannelOptions } from './channels.js';
import type { TestApp } from './test-app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Calls an operation of Surface B with the three headers of a channel. `path` begins after `/api/v1`. */
export function call(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  method: Method,
  path: string,
  payload?: object,
  extra: Record<string, string> = {},
) {
  return app.inject({ method, url: `/api/v1${path}`, headers: { ...headers, ...extra }, payload });
}

/** The two sends of Surface B, from a channel unless another is given. */
export function channelSends(heliograph: Pick<TestApp, 'app'>, channel: Pick<TestChannel, 'headers'>) {
  const send =
    (path: string) =>
    (payload: object, from = channel, headers: Record<string, string> = {}) =>
      call(heliograph, from, 'POST', `/messages/${path}`, payload, headers);
  return { sendTemplate: send('template'), sendReply: send('reply') };
}

/** Plays a message from a contact. */
export function playInbound({ app }: Pick<TestApp, 'app'>, { headers }: Pick<TestChannel, 'headers'>, payload: object) {
  return app.inject({ method: 'POST', url: '/simulator/v1/inbound', headers, payload });
}

export interface TestTemplate {
  name: string;
  language?: string;
  status?: 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED' | 'DISABLED';
  components?: object[];
}

/** Puts a template into a channel, APPROVED and without parameters unless told. Returns its id. */
export async function addTemplate(
  { deps }: Pick<TestApp, 'deps'>,
  { account, channelId }: Pick<TestChannel, 'account' | 'channelId'>,
  { name, language = 'en_US', status = 'APPROVED', components = [{ type: 'BODY', text: 'Hello' }] }: TestTemplate,
): Promise<string> {
  const id = newId();
  await deps.prisma.template.create({
    data: { id, accountId: account.id, channelId, name, language, category: 'UTILITY', status, components },
  });
  return id;
}

/** The body of a template send that needs no parameters. */
export const HELLO = { to: '15005550111', templateName: 'hello_world', language: 'en_US' };

/** A channel with three approved templates: without parameters, with one, and with named ones in every part. */
export async function channelWithTemplates(
  heliograph: Pick<TestApp, 'deps'>,
  account?: TestAccount,
  options?: TestChannelOptions,
): Promise<TestChannel> {
  const made = await createTestChannel(heliograph.deps, account, options);
  await addTemplate(heliograph, made, { name: 'hello_world' });
  await addTemplate(heliograph, made, {
    name: 'order_update',
    components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }],
  });
  await addTemplate(heliograph, made, {
    name: 'delivery',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'For {{customer}}' },
      { type: 'BODY', text: 'Parcel {{parcel}} arrives {{day}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }] },
    ],
  });
  return made;
}

/** What a channel holds and what its account has left. */
export async function channelState({ deps }: Pick<TestApp, 'deps'>, { channelId, account }: TestChannel) {
  const where = { channelId };
  return {
    messages: await deps.prisma.message.count({ where }),
    contacts: await deps.prisma.contact.count({ where }),
    conversations: await deps.prisma.conversation.count({ where }),
    balance: await balanceOf(deps, account.id),
  };
}
