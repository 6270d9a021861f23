import { createService } from '../../src/features/verifications/services/services.js';
import { createTwimlReplier } from '../../src/features/webhooks/twilio/reply.js';
import { newId } from '../../src/platform/ids.js';
import { toSid } from '../../src/platform/text/sids.js';
import { post, sendSms, sendV2 } from '../surfaces/a/requests.js';
import { receiveText } from './automations.js';
import { call, HELLO } from './channel-calls.js';
import { addTemplate } from './channel-contents.js';
import type { TestChannel } from './channels.js';
import { callGraph, readGraphIds } from './graph-calls.js';
import { createTestOperator } from './operators.js';
import type { TestApp } from './test-app.js';
import { buildAccountAuth, callTwilio } from './twilio-calls.js';

export interface SendResponse {
  statusCode: number;
  body: string;
}

/** @param to digits */
export type Send = (to: string) => Promise<SendResponse>;

export interface SendingSurface {
  name: string;
  key: 'app' | 'channel' | null;
  /** Set for sign-in codes, which are limited to five per recipient in ten minutes. */
  isCode?: true;
  needsWindow?: true;
  statuses?: { accepted?: number; destination?: number; held?: number };
  /** Requires a WhatsApp channel with the template `hello_world`. */
  open(heliograph: TestApp, channel: TestChannel): Promise<Send> | Send;
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SERVICE = { appName: 'Acme', sender: 'Shop' };

/** Interfaces that send immediately, unlike campaigns, automations and fallbacks, which wait for a worker. */
export const SENDING_SURFACES: readonly SendingSurface[] = [
  {
    name: 'POST /v1.0/sms/send',
    key: 'app',
    open:
      ({ app }, { account }) =>
      (to) =>
        sendSms(app, account, { from: 'Shop', to, message: 'Hi' }),
  },
  {
    name: 'POST /v2/send by SMS',
    key: 'app',
    open:
      ({ app }, { account }) =>
      (to) =>
        sendV2(app, account, { from: 'Shop', to, channel: 'sms', message: 'Hi' }),
  },
  {
    name: 'POST /v2/send by WhatsApp',
    key: 'app',
    open:
      ({ app }, { account, phoneNumber }) =>
      (to) =>
        sendV2(app, account, { from: phoneNumber, to, channel: 'whatsapp', message: 'Hi' }),
  },
  {
    name: 'POST /api/v1/messages/template',
    key: 'channel',
    open: (heliograph, channel) => (to) => call(heliograph, channel, 'POST', '/messages/template', { ...HELLO, to }),
  },
  {
    name: 'POST /api/v1/messages/reply',
    key: 'channel',
    needsWindow: true,
    open: (heliograph, channel) => (to) => call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hi' }),
  },
  {
    name: 'POST /api/v1/messages/send',
    key: 'channel',
    needsWindow: true,
    open: (heliograph, channel) => (to) =>
      call(heliograph, channel, 'POST', '/messages/send', { to, type: 'text', text: { body: 'Hi' } }),
  },
  {
    name: 'the inbox of the console',
    key: null,
    open: async (heliograph, { account, channelId }) => {
      const { ask } = await createTestOperator(heliograph);
      const path = `/accounts/${account.id}/channels/${channelId}/messages/template`;
      return (to) => ask('POST', path, { ...HELLO, to });
    },
  },
  {
    name: 'POST /graph/…/messages',
    key: 'channel',
    open: async (heliograph, channel) => {
      const { phoneNumberId } = await readGraphIds(heliograph, channel);
      const template = { name: 'hello_world', language: { code: 'en_US' } };
      const message = { messaging_product: 'whatsapp', type: 'template', template };
      return (to) => callGraph(heliograph, channel, 'POST', `/${phoneNumberId}/messages`, { ...message, to });
    },
  },
  {
    name: 'POST /2010-04-01/…/Messages.json',
    key: 'app',
    statuses: { accepted: 201, destination: 400, held: 400 },
    open:
      (heliograph, { account }) =>
      (to) =>
        callTwilio(heliograph, account, 'POST', '/Messages.json', { To: `+${to}`, From: 'Shop', Body: 'Hi' }),
  },
  {
    name: 'replies in TwiML',
    key: null,
    needsWindow: true,
    open: ({ deps }, { account, channelId }) => {
      const { phoneValidation, smsMaxChars } = deps.config;
      const reply = createTwimlReplier({ ...deps, phoneValidation, smsMaxChars });
      // A TwiML reply has no HTTP status, so the test derives one from the text of the refusal.
      const status = (problem: string) => (/is held|are held/.test(problem) || /may send/.test(problem) ? 429 : 403);
      return async (from) => {
        const delivery = {
          id: newId(),
          accountId: account.id,
          data: JSON.stringify({ channelId, from, userId: null }),
          repliesSent: 0,
          keyId: null,
        };
        const problem = await reply(delivery, '<Response><Message>Hi</Message></Response>');
        return { statusCode: problem === null ? 200 : status(problem), body: problem ?? '' };
      };
    },
  },
  {
    name: 'POST /v2/verifications',
    key: 'app',
    isCode: true,
    open:
      ({ app }, { account }) =>
      (to) =>
        post(app, '/v2/verifications', account, { to, from: 'Shop', app_name: 'Acme' }),
  },
  {
    name: 'POST /v2/Services/…/Verifications',
    key: 'app',
    isCode: true,
    statuses: { accepted: 201, destination: 400, held: 403 },
    open: async ({ app, deps }, { account }) => {
      const { service } = await createService(
        deps.prisma,
        { accountId: account.id, type: 'verify', ...SERVICE },
        new Date(),
      );
      const url = `/v2/Services/${toSid('VA', service.id)}/Verifications`;
      const headers = { ...buildAccountAuth(account), ...FORM };
      return (to) => app.inject({ method: 'POST', url, headers, payload: form({ To: `+${to}`, Channel: 'sms' }) });
    },
  },
  {
    name: 'POST /hooks/sign-in/…',
    key: null,
    isCode: true,
    open: async ({ app, deps }, { account }) => {
      const input = { accountId: account.id, type: 'fusionauth' as const, ...SERVICE };
      const { service, secret } = await createService(deps.prisma, input, new Date());
      const headers = { authorization: `Bearer ${secret}` };
      const url = `/hooks/sign-in/${service.id}`;
      return (to) =>
        app.inject({
          method: 'POST',
          url,
          headers: { ...headers, ...FORM },
          payload: form({ phoneNumber: `+${to}`, textMessage: '135790' }),
        });
    },
  },
];

/** @param recentSenders contacts who wrote recently */
export async function openSurface(
  surface: SendingSurface,
  heliograph: TestApp,
  channel: TestChannel,
  recentSenders: readonly string[],
): Promise<Send> {
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  if (surface.needsWindow)
    for (const from of new Set(recentSenders)) await receiveText(heliograph.deps, channel, from, 'Hi');
  return surface.open(heliograph, channel);
}
