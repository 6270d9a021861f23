import { expect, it } from 'vitest';
import { createChannelKey } from '../../../src/accounts/keys.js';
import { createAutomation, triggerAutomation, waitForRun } from '../../support/automations.js';
import { countMessagesPerContact, createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, HELLO } from '../../support/channel-calls.js';
import { addTemplate, createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { callGraph, readGraphIds } from '../../support/graph-calls.js';
import { createGuardedAccount, setTestGuard } from '../../support/guards.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { sendByTwilio } from '../../support/twilio-calls.js';
import { expectErrorV1, expectErrorV2, post, readAccountState, sendSms, sendV2 } from '../../surfaces/a/requests.js';

const heliograph = suiteApp();

const GERMAN = '4915123456789';
const AMERICAN = '15005550111';
const REASON =
  'must be in a country that the guard of the account allows: 15005550111 is in US, allowed: DE. An operator can allow it in the ' +
  'spending guard: heliograph guard set [-0-9a-f]{36} --allow, or in the console under Account.';
const REFUSED = new RegExp(`^to ${REASON}$`);
const REFUSED_TO = new RegExp(`^To ${REASON}$`);

it("a guard refuses a number outside the allowed countries on each surface, in the surface's format and without any effect", async () => {
  const account = await createGuardedAccount(heliograph.deps, { allowed: ['DE'] });
  const channel = await createTestChannel(heliograph.deps, account);
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  const stateBefore = await readAccountState(heliograph, account);
  const { app } = heliograph;
  expectErrorV1(
    await sendSms(app, account, { from: 'A', to: AMERICAN, message: 'Hi' }),
    403,
    expect.stringMatching(REFUSED),
  );
  const multiCountrySend = await sendV2(app, account, {
    from: 'A',
    to: [GERMAN, AMERICAN],
    channel: 'sms',
    message: 'Hi',
  });
  expectErrorV2(multiCountrySend, 403, ['to'], expect.stringMatching(REFUSED));
  const code = { to: AMERICAN, from: 'A', app_name: 'Acme' };
  expectErrorV2(await post(app, '/v2/verifications', account, code), 403, ['to'], expect.stringMatching(REFUSED));
  const template = await call(heliograph, channel, 'POST', '/messages/template', { ...HELLO, to: AMERICAN });
  expect([template.statusCode, template.json()]).toEqual([
    403,
    {
      success: false,
      error: expect.objectContaining({ code: 'DESTINATION_REFUSED', message: expect.stringMatching(REFUSED) }),
    },
  ]);
  const { phoneNumberId } = await readGraphIds(heliograph, channel);
  const graph = await callGraph(heliograph, channel, 'POST', `/${phoneNumberId}/messages`, {
    messaging_product: 'whatsapp',
    to: AMERICAN,
    type: 'template',
    template: { name: 'hello_world', language: { code: 'en_US' } },
  });
  expect([graph.statusCode, graph.json().error]).toEqual([
    403,
    expect.objectContaining({
      code: 130497,
      error_data: expect.objectContaining({ details: expect.stringMatching(REFUSED) }),
    }),
  ]);
  const twilio = await sendByTwilio(heliograph, account, AMERICAN);
  expect([twilio.statusCode, twilio.json()]).toEqual([
    400,
    expect.objectContaining({ code: 21408, message: expect.stringMatching(REFUSED_TO), status: 400 }),
  ]);
  expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  expect(await heliograph.deps.prisma.contact.count({ where: { accountId: account.id } })).toBe(0);
  expect((await sendV2(app, account, { from: 'A', to: GERMAN, channel: 'sms', message: 'Hi' })).statusCode).toBe(200);
});

it.each([
  ['447700900123', ['+4477'], 200],
  ['447700900123', ['+4478'], 403],
  ['447700900123', ['GB'], 200],
  // Crown dependencies share the calling code of Great Britain.
  ['447797123456', ['GB'], 403],
  ['12425551234', ['US'], 403],
  ['12125551234', ['US'], 200],
  // Premium-rate, shared-cost, satellite and network numbers are refused unless one of their prefixes is allowed.
  ['499001123456', [], 403],
  ['4491234567890', [], 200],
  ['449012345678', [], 403],
  ['448431234567', [], 403],
  ['88161234567', [], 403],
  ['8823456789012', [], 403],
  ['979123456789', [], 403],
  ['87812345678901', [], 403],
  ['88161234567', ['+8816'], 200],
])('a send to %s with %j allowed responds %i', async (to, allowedCountries, status) => {
  const account = await createGuardedAccount(heliograph.deps, { allowed: allowedCountries });
  const response = await sendV2(heliograph.app, account, { from: 'A', to, channel: 'sms', message: 'Hi' });
  expect(response.statusCode, response.body).toBe(status);
});

it('a guard allows risky numbers whose prefix is allowed; without a guard everything is allowed', async () => {
  const unguardedAccount = await createGuardedAccount(heliograph.deps, { refusesRisky: false });
  const send = { from: 'A', to: '88161234567', channel: 'sms', message: 'Hi' };
  expect((await sendV2(heliograph.app, unguardedAccount, send)).statusCode).toBe(200);
});

it("a guard of a key applies in addition to the account's guard", async () => {
  const channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  const { account } = channel;
  await setTestGuard(heliograph.deps, account.id, { allowed: ['DE', 'US'] });
  const { id } = await heliograph.deps.prisma.apiKey.findFirstOrThrow({
    where: { accountId: account.id, surface: 'a' },
  });
  await setTestGuard(heliograph.deps, account.id, { allowed: ['DE'] }, id);
  const send = { from: 'A', to: AMERICAN, channel: 'sms', message: 'Hi' };
  const refusal = await sendV2(heliograph.app, account, send);
  expectErrorV2(refusal, 403, ['to'], expect.stringContaining('that the guard of the key allows'));
  const created = await createChannelKey(heliograph.deps.prisma, {
    accountId: account.id,
    name: 'Other',
    scopes: ['full'],
    channelIds: [channel.channelId],
  });
  expect(created.id).not.toBe(id);
  expect((await sendV2(heliograph.app, account, { ...send, to: GERMAN })).statusCode).toBe(200);
});

it('a repeated request is answered like the first one, whatever the guard says now', async () => {
  const account = await createGuardedAccount(heliograph.deps, { allowed: ['US'] });
  const { deps, app } = heliograph;
  const send = () =>
    sendV2(app, account, { from: 'A', to: AMERICAN, channel: 'sms', message: 'Hi' }, { 'idempotency-key': 'once' });
  const firstResponse = await send();
  expect(firstResponse.statusCode).toBe(200);
  await setTestGuard(deps, account.id, { allowed: ['DE'] });
  const sendOther = () => sendV2(app, account, { from: 'A', to: AMERICAN, channel: 'sms', message: 'Other' });
  // Processes cache API keys for 1.5 seconds, so the new destination rules apply later.
  await expect.poll(async () => (await sendOther()).statusCode).toBe(403);
  const secondResponse = await send();
  expect([secondResponse.statusCode, secondResponse.json().data]).toEqual([200, firstResponse.json().data]);
});

it('a campaign skips and counts members whom the guard refuses', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const group = await createGroup(heliograph.deps, channel, { size: 4 });
  const [first, second] = group.contactIds as [string, string];
  await heliograph.deps.prisma.contact.update({ where: { id: second }, data: { phone: AMERICAN } });
  await setTestGuard(heliograph.deps, channel.account.id, { allowed: ['DE'] });
  const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
  const completedCampaign = await waitForCampaign(heliograph, channel, id, 'completed');
  expect(completedCampaign).toMatchObject({ messageCount: 3, skippedCount: 0, refusedCount: 1, errorMessage: null });
  const counts = await countMessagesPerContact(heliograph.deps, id);
  expect([counts.get(first), counts.get(second)]).toEqual([1, undefined]);
  expect(await heliograph.deps.prisma.conversation.count({ where: { contactId: second } })).toBe(0);
});

it('an automation run fails with a reason for a contact whom the guard refuses', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  await setTestGuard(heliograph.deps, channel.account.id, { allowed: ['DE'] });
  const automation = await createAutomation(heliograph, channel, [
    { type: 'send_template', templateName: 'hello', language: 'en_US' },
  ]);
  const contact = await call(heliograph, channel, 'POST', '/contacts', { phone: AMERICAN });
  await triggerAutomation(heliograph, channel, automation, { contactId: contact.json().data.id });
  const run = await waitForRun(heliograph, channel, automation, 'failed');
  expect(run.errorMessage).toMatch(/^The spending guard of the account refused the message/);
});

it('the SMS of a fallback is refused with a reason', async () => {
  const { account, phoneNumber } = await createTestChannel(heliograph.deps);
  await setTestGuard(heliograph.deps, account.id, {
    limits: [{ most: '1', measure: 'messages', span: 'month', scope: 'total' }],
  });
  const response = await sendV2(heliograph.app, account, {
    to: '15005550001',
    from: phoneNumber,
    channel: 'whatsapp',
    message: 'Hello',
    fallback: { channel: 'sms', from: 'Shop' },
  });
  const [{ message_id: id }] = response.json().data;
  await waitForStatus(heliograph, [id], 'failed');
  await expect
    .poll(() => heliograph.deps.prisma.fallback.findFirst({ where: { messageId: id, errorCode: { not: null } } }))
    .toMatchObject({ errorCode: 'LIMIT_REACHED', smsId: null });
});
