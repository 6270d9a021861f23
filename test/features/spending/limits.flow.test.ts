import { expect, it } from 'vitest';
import { parseGuard } from '../../../src/features/spending/guards.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, HELLO } from '../../support/channel-calls.js';
import { addTemplate, createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { buildGuard, buildLimit, createGuardedAccount, setTestGuard } from '../../support/guards.js';
import { ManualClock } from '../../support/manual-clock.js';
import { waitForStatus } from '../../support/messages.js';
import { createTestOperator } from '../../support/operators.js';
import { sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { callTwilio, sendByTwilio } from '../../support/twilio-calls.js';
import { expectErrorV2, post, readAccountState, sendV2 } from '../../surfaces/a/requests.js';

const PRICE = 10_000n;
const clock = new ManualClock();
const heliograph = suiteApp({ clock });
const otherServer = openForSuite(() => testApp({ sharesWith: heliograph, role: 'api', clock }));
const listApps = () => [heliograph.app, otherServer.app];

const TO = '15005550111';
const createSms = (overrides: object = {}) => ({ from: 'Shop', to: TO, channel: 'sms', message: 'Hi', ...overrides });

/** @returns the statuses */
async function sendConcurrently(count: number, send: (index: number) => Promise<{ statusCode: number }>) {
  const responses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const statuses = responses.map(({ statusCode }) => statusCode);
  return {
    accepted: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((status) => status === 429).length,
  };
}

it.each([
  ['messages', buildLimit('64')],
  ['messages of an hour', buildLimit('64', 'messages', 'hour')],
  ['messages of a sender', buildLimit('64', 'messages', 'month', 'sender')],
  ['messages to a recipient', buildLimit('64', 'messages', 'day', 'recipient')],
  ['money', buildLimit('0.64', 'money')],
  ['money to a recipient', buildLimit('0.64', 'money', 'hour', 'recipient')],
])('with a limit of %s, 64 of 64 concurrent sends are accepted, and 64 of 65', async (_case, rule) => {
  for (const [asked, begun] of [
    [64, 0],
    [64, 1],
    [65, 0],
  ] as const) {
    const account = await createGuardedAccount(heliograph.deps, { limits: [rule] });
    for (let index = 0; index < begun; index++)
      expect((await sendV2(heliograph.app, account, createSms())).statusCode).toBe(200);
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const { accepted, refused } = await sendConcurrently(asked, (index) =>
      sendV2(listApps()[index % 2] as never, account, createSms()),
    );
    expect([accepted, refused]).toEqual([64 - begun, asked + begun - 64]);
    expect(balanceBefore - (await readBalance(heliograph.deps, account.id))).toBe(PRICE * BigInt(64 - begun));
    expect(await heliograph.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(64);
  }
});

it('a refusal names the limit and its end, has no side effects, and sends succeed again afterwards', async () => {
  const account = await createGuardedAccount(heliograph.deps, { limits: [buildLimit('2', 'messages', 'hour')] });
  expect((await sendV2(heliograph.app, account, createSms({ to: [TO, '15005550112'] }))).statusCode).toBe(200);
  const stateBefore = await readAccountState(heliograph, account);
  const refusal = await sendV2(heliograph.app, account, createSms());
  const windowEnd = new Date(Math.ceil((clock.now().getTime() + 1) / 3_600_000) * 3_600_000);
  const sentence = `The account may send 2 messages each hour, and this would be more. The hour ends at ${windowEnd.toISOString()}.`;
  expectErrorV2(refusal, 429, [], sentence);
  expect(Number(refusal.headers['retry-after'])).toBe(Math.ceil((windowEnd.getTime() - clock.now().getTime()) / 1000));
  const twilio = await sendByTwilio(heliograph, account, TO);
  expect([twilio.statusCode, twilio.json()]).toEqual([
    429,
    expect.objectContaining({ code: 20429, message: sentence }),
  ]);
  expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  clock.advance(3_600_000);
  await expect.poll(async () => (await sendV2(heliograph.app, account, createSms())).statusCode).toBe(200);
});

it('a limit counts each recipient and each sender separately', async () => {
  const account = await createGuardedAccount(heliograph.deps, {
    limits: [buildLimit('1', 'messages', 'day', 'recipient'), buildLimit('3', 'messages', 'day', 'sender')],
  });
  const send = async (overrides: object) => {
    const response = await sendV2(heliograph.app, account, createSms(overrides));
    return response.statusCode === 200
      ? 200
      : [response.statusCode, ...response.json().data.errors.map((error: { field: string }) => error.field)];
  };
  expect(await send({})).toBe(200);
  expect(await send({})).toEqual([429, 'to']);
  expect(await send({ to: ['15005550112', '15005550113'] })).toBe(200);
  expect(await send({ to: '15005550114' })).toEqual([429, 'from']);
  expect(await send({ to: '15005550114', from: 'Other' })).toBe(200);
});

it('a limit of a key counts only the sends of that key', async () => {
  const channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  const { account } = channel;
  const key = await heliograph.deps.prisma.apiKey.findFirstOrThrow({ where: { accountId: account.id, surface: 'a' } });
  await setTestGuard(heliograph.deps, account.id, { limits: [buildLimit('1')] }, key.id);
  expect((await sendV2(heliograph.app, account, createSms())).statusCode).toBe(200);
  expectErrorV2(
    await sendV2(heliograph.app, account, createSms()),
    429,
    [],
    expect.stringMatching(/^The key may send 1 messages/),
  );
  const contact = { phone: TO };
  expect((await call(heliograph, channel, 'POST', '/contacts', contact)).statusCode).toBe(200);
});

it('a request is accepted alongside others whose keys were already used: their unused share is available', async () => {
  const account = await createGuardedAccount(heliograph.deps, { limits: [buildLimit('3')] });
  const repeat = () => sendV2(otherServer.app, account, createSms(), { 'idempotency-key': 'same' });
  expect((await repeat()).statusCode).toBe(200);
  const responses = await Promise.all([
    repeat(),
    sendV2(otherServer.app, account, createSms()),
    repeat(),
    sendV2(otherServer.app, account, createSms()),
  ]);
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect((await sendV2(otherServer.app, account, createSms())).statusCode).toBe(429);
  expect((await repeat()).statusCode).toBe(200);
});

it('a large request beyond the limit is refused as a whole', async () => {
  const account = await createGuardedAccount(heliograph.deps, { limits: [buildLimit('1000')] });
  const to = Array.from({ length: 1001 }, (_, index) => `1500556${String(index).padStart(4, '0')}`);
  const stateBefore = await readAccountState(heliograph, account);
  expect((await sendV2(heliograph.app, account, createSms({ to }))).statusCode).toBe(429);
  expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  expect((await sendV2(heliograph.app, account, createSms({ to: to.slice(0, 1000) }))).statusCode).toBe(200);
  expect((await sendV2(heliograph.app, account, createSms())).statusCode).toBe(429);
});

it('a low balance is reported if both it and the limit refuse, and nothing is counted', async () => {
  const account = await createGuardedAccount(heliograph.deps, { limits: [buildLimit('2')] }, { creditMicros: PRICE });
  const { accepted } = await sendConcurrently(2, () => sendV2(heliograph.app, account, createSms()));
  expect(accepted).toBe(1);
  expect((await sendV2(heliograph.app, account, createSms())).statusCode).toBe(402);
  const { messages } = await heliograph.deps.prisma.spendCount.findFirstOrThrow({ where: { accountId: account.id } });
  expect(messages).toBe(1n);
});

it('a campaign is paused at a limit with a reason, and continues after a resume', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const group = await createGroup(heliograph.deps, channel, { size: 450 });
  await setTestGuard(heliograph.deps, channel.account.id, { limits: [buildLimit('301')] });
  const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
  const paused = await waitForCampaign(heliograph, channel, id, 'paused');
  expect(paused).toMatchObject({
    messageCount: 301,
    errorMessage: expect.stringMatching(
      /^The account may send 301 messages each day, and this would be more. The day ends at /,
    ),
  });
  clock.advance(24 * 3_600_000);
  const resumeResponse = await call(heliograph, channel, 'POST', `/campaigns/${id}/resume`);
  expect(resumeResponse.json().data).toMatchObject({ errorMessage: null });
  expect(await waitForCampaign(heliograph, channel, id, 'completed')).toMatchObject({ messageCount: 450 });
});

it('a campaign skips members who have reached their own limit', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const group = await createGroup(heliograph.deps, channel, { size: 3 });
  await setTestGuard(heliograph.deps, channel.account.id, {
    limits: [buildLimit('1', 'messages', 'day', 'recipient')],
  });
  const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
  expect(await waitForCampaign(heliograph, channel, id, 'completed')).toMatchObject({
    messageCount: 3,
    refusedCount: 0,
  });
  const secondCampaign = await createCampaign(heliograph, channel, { groupId: group.id });
  expect(await waitForCampaign(heliograph, channel, secondCampaign.id, 'completed')).toMatchObject({
    messageCount: 0,
    refusedCount: 3,
  });
});

async function countRefusals(): Promise<number> {
  const metric = heliograph.deps.acceptor.tally
    .metrics()
    .find(({ name }) => name === 'heliograph_guard_refusals_total');
  const samples = [...((await metric?.read()) ?? [])];
  return samples.reduce((sum, sample) => sum + ('value' in sample ? Number(sample.value) : 0), 0);
}

it('the refusal metric counts a refusal once, and no repeated request that was accepted before', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const { account, channelId } = channel;
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  await setTestGuard(heliograph.deps, account.id, { allowed: ['US'], limits: [buildLimit('3')] });
  const { headers } = await createTestOperator(heliograph);
  const repeat = { 'idempotency-key': 'one' };
  const sends = [
    () => sendV2(heliograph.app, account, createSms(), repeat),
    () =>
      post(
        heliograph.app,
        '/v2/verifications',
        account,
        { to: TO, from: 'A', app_name: 'B' },
        { 'idempotency-key': 'two' },
      ),
    () =>
      heliograph.app.inject({
        method: 'POST',
        url: `/admin/v1/accounts/${account.id}/channels/${channelId}/messages/template`,
        headers: { ...headers, ...repeat },
        payload: HELLO,
      }),
  ];
  const refusalsBefore = await countRefusals();
  for (const send of [...sends, ...sends]) {
    const response = await send();
    expect(response.statusCode, response.body).toBe(200);
  }
  expect(await countRefusals()).toBe(refusalsBefore);
  expect((await sendV2(heliograph.app, account, createSms())).statusCode).toBe(429);
  expect((await sendV2(heliograph.app, account, createSms({ to: '4915123456789' }))).statusCode).toBe(403);
  expect((await call(heliograph, channel, 'POST', '/messages/template', HELLO)).statusCode).toBe(429);
  expect(await countRefusals()).toBe(refusalsBefore + 3);
});

it('a repeated request does not cause a hold when a country has reached its maximum', async () => {
  const account = await createGuardedAccount(heliograph.deps, { watch: { holdMinutes: 20, safe: [] } });
  const to = Array.from({ length: 100 }, (_, index) => `150055561${String(index).padStart(2, '0')}`);
  const send = () => sendV2(heliograph.app, account, createSms({ to }), { 'idempotency-key': 'hundred' });
  const refusalsBefore = await countRefusals();
  expect((await send()).statusCode).toBe(200);
  expect((await send()).statusCode).toBe(200);
  expect(await heliograph.deps.prisma.spendHold.count({ where: { accountId: account.id } })).toBe(0);
  expect(await countRefusals()).toBe(refusalsBefore);
});

it('a repeated request does not use up a share of the limit that another send in the same commit needs', async () => {
  const account = await createTestAccount(heliograph.deps);
  const spendGuard = parseGuard(buildGuard({ limits: [buildLimit('2')] }));
  const [keyed, other] = [sendRequest(account, { key: 'one' }), sendRequest(account)].map((request) => ({
    ...request,
    account: { ...request.account, spendGuard },
  })) as [SendRequest, SendRequest];
  const { acceptor, pool } = heliograph.deps;
  await acceptor.accept(keyed);
  const outcomes = await acceptor.acceptWithin(pool, { listPayers: () => [account.id] }, async ({ prepare, commit }) =>
    commit([await prepare(keyed), await prepare(other)]),
  );
  expect(outcomes).toEqual(['conflict', 'accepted']);
  await expect(acceptor.accept(other)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
});

it('a repeated request is refused if the result of its key was deleted in the meantime', async () => {
  const account = await createGuardedAccount(heliograph.deps, { limits: [buildLimit('5')] });
  const send = () => sendV2(heliograph.app, account, createSms(), { 'idempotency-key': 'gone' });
  const response = await send();
  const [{ message_id: id }] = response.json().data;
  await waitForStatus(heliograph, [id], 'delivered');
  expect((await callTwilio(heliograph, account, 'DELETE', `/Messages/${toSid('SM', id)}.json`)).statusCode).toBe(204);
  expectErrorV2(await send(), 409, ['Idempotency-Key']);
});
