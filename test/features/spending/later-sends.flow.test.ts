import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { revokeApp } from '../../../src/accounts/keys.js';
import { readBalance, type TestAccount } from '../../support/accounts.js';
import { createAutomation, triggerAutomation, waitForRun } from '../../support/automations.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { addCodeTemplate, createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { buildLimit, setTestGuard } from '../../support/guards.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { checkUntil } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { NUMBER, post, sendV2 } from '../../surfaces/a/requests.js';

/** The simulator rejects messages to `REFUSED`, and throttles messages to `THROTTLED` twice. */
const [REFUSED, THROTTLED] = ['15005550001', '15005550003'];
const PRICE = 10_000n;

const clock = new ShiftedClock();
const heliograph = suiteApp({ clock, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/xml' }).end('<Response><Message>Thanks</Message></Response>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
});

const createApp = ({ id }: TestAccount) =>
  heliograph.deps.prisma.apiKey.findFirstOrThrow({ where: { accountId: id, surface: 'a' } });

async function createLimitedChannel(maximum: string) {
  const channel = await createTestChannel(heliograph.deps);
  const { account } = channel;
  const app = await createApp(account);
  await setTestGuard(heliograph.deps, account.id, { limits: [buildLimit(maximum)] }, app.id);
  return { channel, account, app };
}

const findFallback = (messageId: string) =>
  waitFor('the fallback to be settled', async () => {
    const row = await heliograph.deps.prisma.fallback.findUnique({ where: { messageId } });
    return row?.nextLook === null && row;
  });
async function waitUntilDue(id: string, status: string): Promise<void> {
  clock.advance(61_000);
  await heliograph.deps.pool.query("UPDATE messages SET not_before = now() - interval '1 second' WHERE id = $1", [id]);
  await checkUntil(heliograph, id, status);
}
const countMessages = ({ id }: TestAccount) => heliograph.deps.prisma.message.count({ where: { accountId: id } });
const createWhatsapp = (from: string) => ({
  ...{ from, to: REFUSED, channel: 'whatsapp', message: 'Hi', fallback: { channel: 'sms', from: 'Shop' } },
});
const expectAccepted = async (request: ReturnType<typeof post>) => {
  const response = await request;
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
};

describe("the guard of an app's key", () => {
  it.each([
    ['messages', '1', 'LIMIT_REACHED'],
    ['messages, with room for the SMS', '2', null],
  ])(
    "the guard of an app's key applies to the fallback of a WhatsApp message: a limit of %s",
    async (_case, maximum, errorCode) => {
      const { channel, account } = await createLimitedChannel(maximum);
      const [{ message_id: id }] = await expectAccepted(
        sendV2(heliograph.app, account, createWhatsapp(channel.phoneNumber)),
      );
      const fallback = await findFallback(id);
      expect(fallback).toMatchObject({ errorCode, smsId: errorCode === null ? expect.any(String) : null });
      expect(await countMessages(account)).toBe(Number(maximum));
      expect((await sendV2(heliograph.app, account, createWhatsapp(channel.phoneNumber))).statusCode).toBe(429);
    },
  );

  it("the guard of an app's key applies to a fallback's destination as configured after the message was accepted", async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account } = channel;
    const scheduledAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const body = { ...createWhatsapp(channel.phoneNumber), scheduled_at: scheduledAt };
    const [{ message_id: id }] = await expectAccepted(sendV2(heliograph.app, account, body));
    await setTestGuard(heliograph.deps, account.id, { allowed: ['DE'] }, (await createApp(account)).id);
    await waitUntilDue(id, 'failed');
    expect(await findFallback(id)).toMatchObject({ errorCode: 'DESTINATION_REFUSED', smsId: null });
  });

  it("the guard of an app's key applies to the fallback of a sign-in code", async () => {
    const { channel, account } = await createLimitedChannel('1');
    await addCodeTemplate(heliograph, channel);
    const code = {
      ...createWhatsapp(channel.phoneNumber),
      app_name: 'Acme',
      template_id: 'sign_in',
      message: undefined,
    };
    const { message_id: id } = await expectAccepted(post(heliograph.app, '/v2/verifications', account, code));
    expect(await findFallback(id)).toMatchObject({ errorCode: 'LIMIT_REACHED', smsId: null });
    expect(await countMessages(account)).toBe(1);
  });

  it("the guard of an app's key still applies to a fallback after the key was revoked", async () => {
    const { channel, account, app } = await createLimitedChannel('1');
    const scheduledAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const body = { ...createWhatsapp(channel.phoneNumber), scheduled_at: scheduledAt };
    const [{ message_id: id }] = await expectAccepted(sendV2(heliograph.app, account, body));
    await revokeApp(heliograph.deps.prisma, app.id, clock.now());
    await waitUntilDue(id, 'failed');
    expect(await findFallback(id)).toMatchObject({ errorCode: 'LIMIT_REACHED', smsId: null });
  });

  it("the guard of an app's key counts a scheduled message and a retried one once, when they are accepted", async () => {
    const { account } = await createLimitedChannel('2');
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const sms = { from: 'Shop', channel: 'sms', message: 'Hi' };
    const scheduled_at = new Date(clock.now().getTime() + 60_000).toISOString();
    const [later] = await expectAccepted(sendV2(heliograph.app, account, { ...sms, to: NUMBER, scheduled_at }));
    const [throttled] = await expectAccepted(sendV2(heliograph.app, account, { ...sms, to: THROTTLED }));
    expect((await sendV2(heliograph.app, account, { ...sms, to: NUMBER })).statusCode).toBe(429);
    await waitUntilDue(later.message_id, 'delivered');
    await checkUntil(heliograph, throttled.message_id, 'delivered');
    expect(balanceBefore - (await readBalance(heliograph.deps, account.id))).toBe(2n * PRICE);
    expect((await sendV2(heliograph.app, account, { ...sms, to: NUMBER })).statusCode).toBe(429);
  });

  async function sendReplies(channel: Awaited<ReturnType<typeof createTestChannel>>, webhookId: string) {
    const log = async () =>
      (await heliograph.deps.prisma.webhookDelivery.findMany({ where: { webhookId }, orderBy: { id: 'asc' } })).filter(
        ({ deliveredAt }) => deliveredAt !== null,
      );
    for (const count of [1, 2]) {
      expect((await playInbound(heliograph, channel, { from: NUMBER, text: `Hello ${count}` })).statusCode).toBe(200);
      await waitFor('the delivery', async () => (await log()).length === count);
    }
    return (await log()).map(({ lastError }) => lastError);
  }
  const REFUSAL = expect.stringMatching(/^The TwiML reply was not sent: The key may send 1 messages each day/);
  const webhookInput = { events: ['message.received'], format: 'twilio' };

  it("the guard of an app's key applies to TwiML replies from a webhook that the key created", async () => {
    const { channel, account } = await createLimitedChannel('1');
    const { id } = await expectAccepted(
      post(heliograph.app, '/v2/webhooks', account, { ...webhookInput, url: endpoint.url }),
    );
    expect(await sendReplies(channel, id)).toEqual([null, REFUSAL]);
    expect(await countMessages(account)).toBe(1);
  });

  it("the guard of an app's key applies to TwiML replies once the key has changed a webhook's URL", async () => {
    const channel = await createTestChannel(heliograph.deps);
    await setTestGuard(heliograph.deps, channel.account.id, { limits: [buildLimit('1')] }, channel.keyId);
    const created = await call(heliograph, channel, 'POST', '/webhooks', {
      ...webhookInput,
      url: `${endpoint.url}/first`,
    });
    const { id } = created.json().data;
    const findWebhookKey = async () =>
      (await heliograph.deps.prisma.webhook.findUniqueOrThrow({ where: { id } })).keyId;
    expect(await findWebhookKey()).toBe(channel.keyId);
    await heliograph.deps.prisma.webhook.update({ where: { id }, data: { keyId: null } });
    await call(heliograph, channel, 'PUT', `/webhooks/${id}`, { url: `${endpoint.url}/first` });
    expect(await findWebhookKey()).toBe(null);
    await call(heliograph, channel, 'PUT', `/webhooks/${id}`, { url: `${endpoint.url}/second` });
    expect(await sendReplies(channel, id)).toEqual([null, REFUSAL]);
  });

  it("the guard of an app's key does not apply to campaigns and automations, which belong to the account", async () => {
    const channel = await createCampaignChannel(heliograph.deps);
    const group = await createGroup(heliograph.deps, channel, { size: 3 });
    await setTestGuard(heliograph.deps, channel.account.id, { limits: [buildLimit('1')] }, channel.keyId);
    const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
    expect(await waitForCampaign(heliograph, channel, id, 'completed')).toMatchObject({ messageCount: 3 });
    const step = { type: 'send_template', templateName: 'hello', language: 'en_US' };
    const automation = await createAutomation(heliograph, channel, [step, step]);
    await triggerAutomation(heliograph, channel, automation, { phone: NUMBER });
    await waitForRun(heliograph, channel, automation, 'completed');
    expect(await countMessages(channel.account)).toBe(5);
  });
});

it("the account's guard applies to the fallback of a message that no key sent", async () => {
  const channel = await createTestChannel(heliograph.deps);
  const { account } = channel;
  await setTestGuard(heliograph.deps, account.id, { limits: [buildLimit('1')] });
  const [{ message_id: id }] = await expectAccepted(
    sendV2(heliograph.app, account, createWhatsapp(channel.phoneNumber)),
  );
  expect(await findFallback(id)).toMatchObject({ errorCode: 'LIMIT_REACHED', smsId: null });
});
