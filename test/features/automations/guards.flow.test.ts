import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import {
  createAutomation,
  createCompletionWebhook,
  listBodiesTo,
  listRuns,
  type RunResponse,
  receiveText,
  triggerAutomation,
  waitForRun,
} from '../../support/automations.js';
import { call } from '../../support/channel-calls.js';
import { createTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const CREDIT = 100_000_000n;
const PRICE = 10_000n;
const PHONE = '4915112345678';
const HELLO = { type: 'send_template', templateName: 'hello', language: 'en_US' };

const clock = new ShiftedClock();
const test = suiteApp({ clock });

it('an automation that answers with its own keyword does not loop with another bot', async () => {
  const channel = await createTestChannel(test.deps);
  const id = await createAutomation(test, channel, [{ type: 'send_reply', message: 'menu' }], { keyword: 'menu' });
  await receiveText(test.deps, channel, PHONE, 'menu');
  await waitForRun(test, channel, id, 'completed');
  for (const reply of await listBodiesTo(test.deps, channel, PHONE))
    await receiveText(test.deps, channel, PHONE, reply);
  expect(await listRuns(test, channel, id)).toHaveLength(1);
  expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['menu']);
  expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - PRICE);

  clock.advance(60_000);
  await receiveText(test.deps, channel, PHONE, 'menu');
  expect(await listRuns(test, channel, id)).toHaveLength(2);
});

it('an automation does not loop even if it waits longer than its cooldown before it answers', async () => {
  const channel = await createTestChannel(test.deps);
  const steps = [
    { type: 'wait', seconds: 90 },
    { type: 'send_reply', message: 'menu' },
  ];
  const id = await createAutomation(test, channel, steps, { keyword: 'menu' });
  await receiveText(test.deps, channel, PHONE, 'menu');
  await waitForRun(test, channel, id, 'waiting');
  clock.advance(90_000);
  await waitForRun(test, channel, id, 'completed');
  for (const reply of await listBodiesTo(test.deps, channel, PHONE))
    await receiveText(test.deps, channel, PHONE, reply);
  expect(await listRuns(test, channel, id)).toHaveLength(1);
  clock.advance(60_000);
  await receiveText(test.deps, channel, PHONE, 'menu');
  expect(await listRuns(test, channel, id)).toHaveLength(2);
});

it('a canceled run performs no further step and emits an event', async () => {
  const channel = await createTestChannel(test.deps);
  await createTemplate(test.deps, channel);
  const webhook = await createCompletionWebhook(test.deps, channel);
  const id = await createAutomation(test, channel, [HELLO, { type: 'wait', seconds: 60 }, HELLO]);
  const { id: runId } = await triggerAutomation(test, channel, id, { phone: PHONE });
  await waitForRun(test, channel, id, 'waiting');
  const canceled = await call(test, channel, 'POST', `/automations/${id}/runs/${runId}/cancel`);
  expect(canceled.json().data).toMatchObject({
    id: runId,
    status: 'canceled',
    step: 2,
    errorMessage: null,
    waitingUntil: null,
    completedAt: expect.any(String),
  });
  clock.advance(60_000);
  await triggerAutomation(test, channel, id, { phone: '4915187654321' });
  await waitForRun(test, channel, id, 'waiting');
  expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['Hello']);
  const [event] = await test.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
  expect(event?.data).toMatchObject({ runId, automationId: id, phone: PHONE, status: 'canceled', errorMessage: null });
});

it('on an SMS channel, replies are sent as SMS and a template step fails the run without a charge', async () => {
  const channel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
  await receiveText(test.deps, channel, PHONE, 'Hello');
  const id = await createAutomation(test, channel, [{ type: 'send_reply', message: 'Hello {{contact.name|there}}' }]);
  await triggerAutomation(test, channel, id, { phone: PHONE });
  await waitForRun(test, channel, id, 'completed');
  expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['Hello there']);
  expect(await test.deps.prisma.message.findFirst({ where: { channelId: channel.channelId } })).toMatchObject({
    kind: 'sms',
    sender: channel.phoneNumber,
  });
  expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(1);
  const balance = await readBalance(test.deps, channel.account.id);

  // An earlier version may have stored a WhatsApp step for an SMS channel.
  await createTemplate(test.deps, channel);
  await test.deps.prisma.automation.update({ where: { id }, data: { steps: [{ ...HELLO, components: [] }] } });
  await triggerAutomation(test, channel, id, { phone: PHONE });
  const run: RunResponse = await waitForRun(test, channel, id, 'failed');
  expect(run.errorMessage).toBe('The channel does not carry WhatsApp messages.');
  expect(await readBalance(test.deps, channel.account.id)).toBe(balance);
});
