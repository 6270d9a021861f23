import { expect, it } from 'vitest';
import { ReceiptWatch } from '../../../src/features/spending/receipt-watch.js';
import { findFailingBlocks } from '../../../src/features/spending/receipt-watch-store.js';
import { createService } from '../../../src/features/verifications/services/services.js';
import { countCodes, recordHold } from '../../../src/messages/accept/guard/hold-store.js';
import { BLOCK_DIGITS } from '../../../src/messages/accept/guard/watch.js';
import { newId } from '../../../src/platform/ids.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { readBalance, type TestAccount } from '../../support/accounts.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { recordSentTexts } from '../../support/carriers/sent-texts.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createGuardedAccount, setTestGuard } from '../../support/guards.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createTestOperator } from '../../support/operators.js';
import { retryUntilAvailable } from '../../support/retry-until-available.js';
import { sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth, callTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV2, post, sendV2 } from '../../surfaces/a/requests.js';

const clock = new ManualClock();
const heliograph = suiteApp({ clock });
const WATCH = { watch: { holdMinutes: 20, safe: ['+49151'] } };
const MINUTE = 60_000;

const { waitForCode } = recordSentTexts(heliograph);

let blocks = 100;
const block = () => {
  const prefix = `1500${blocks++}`;
  return { prefix, number: (index: number) => `${prefix}${String(index).padStart(4, '0')}` };
};
const ask = (account: TestAccount, to: string, headers: Record<string, string> = {}) =>
  post(heliograph.app, '/v2/verifications', account, { to, from: 'Acme', app_name: 'Acme' }, headers);
const askPatiently = (account: TestAccount, to: string) =>
  retryUntilAvailable(() => ask(account, to, { 'idempotency-key': to }));
const createSms = (account: TestAccount, to: string | string[]) =>
  sendV2(heliograph.app, account, { from: 'Acme', to, channel: 'sms', message: 'Hi' });
const findHolds = (account: TestAccount) =>
  heliograph.deps.prisma.spendHold.findMany({ where: { accountId: account.id } });
const firstTen = Array.from({ length: 10 }, (_, index) => index);

const countNotifications = (accountId: string) =>
  heliograph.deps.prisma.webhook.create({
    data: {
      id: newId(),
      accountId,
      channelId: null,
      url: 'https://example.invalid/hook',
      events: ['account.sending_held'],
      secret: 'whsec_dGVzdA==',
    },
  });

it('the watch holds a block whose messages fail, and no block whose messages arrive', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const { deps } = heliograph;
  // The simulator reports messages to 15005550002 as undelivered, and the other messages as delivered.
  await createSms(
    account,
    Array.from({ length: 20 }, () => '15005550002'),
  );
  await createSms(
    account,
    Array.from({ length: 19 }, (_, index) => `150055602${String(index).padStart(2, '0')}`),
  );
  await waitFor('all to end', async () => {
    const queuedCount = await deps.prisma.message.count({
      where: { accountId: account.id, status: { in: ['queued', 'sending', 'sent'] } },
    });
    return queuedCount === 0;
  });
  const heldPrefixes: string[] = [];
  const watch = new ReceiptWatch({ ...deps, tally: { countHold: (reason) => void heldPrefixes.push(reason) } });
  watch.start();
  await waitFor('the hold', async () => (await findHolds(account)).length > 0);
  await watch.stop();
  expect(await findHolds(account)).toMatchObject([{ prefix: '1500555', reason: 'receipts', messages: 20 }]);
  expect((await createSms(account, '15005550100')).statusCode).toBe(429);
  expect((await createSms(account, '15005560100')).statusCode).toBe(200);
});

it('the watch never holds short codes and names, nor everything an account sends', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const { deps } = heliograph;
  const { spendGuard } = await deps.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
  const addresses = ['4711', 'Shop', '999', 'Info desk', '110022'];
  for (let index = 0; index < 105; index++) {
    const request = sendRequest(account, { to: addresses[index % addresses.length] });
    await deps.acceptor.accept({ ...request, account: { ...request.account, spendGuard } });
  }
  expect(await findHolds(account)).toEqual([]);

  await deps.prisma.message.updateMany({
    where: { accountId: account.id },
    data: { status: 'failed', endedAt: clock.now(), nextLook: null },
  });
  expect(await findFailingBlocks(deps.pool, account.id, new Date(0), BLOCK_DIGITS)).toEqual([]);
  const emptyHold = { accountId: account.id, prefix: '', reason: 'receipts', messages: 20 } as const;
  expect(() => recordHold(deps.pool, { ...emptyHold, minutes: 20 }, clock.now())).toThrow(RangeError);
  // An earlier version may have stored a hold without a prefix.
  const heldUntil = new Date(clock.now().getTime() + MINUTE);
  await deps.prisma.spendHold.create({ data: { ...emptyHold, id: newId(), heldAt: clock.now(), until: heldUntil } });
  expect((await createSms(account, '15005550111')).statusCode).toBe(200);
});

it('the watch allows codes to ten numbers of a block, even of 64 concurrent ones, then holds it and emits one event', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const webhook = await countNotifications(account.id);
  const { prefix, number } = block();
  const balanceBefore = await readBalance(heliograph.deps, account.id);
  const responses = await Promise.all(Array.from({ length: 64 }, (_, index) => askPatiently(account, number(index))));
  const acceptedResponses = responses.filter(({ statusCode }) => statusCode === 200);
  const refusedStatuses = responses.filter(({ statusCode }) => statusCode !== 200).map(({ statusCode }) => statusCode);
  expect([acceptedResponses.length, ...new Set(refusedStatuses)]).toEqual([10, 429]);
  expect(balanceBefore - (await readBalance(heliograph.deps, account.id))).toBe(100_000n);
  const heldUntil = new Date(clock.now().getTime() + 20 * MINUTE);
  const refusal = await ask(account, number(99));
  const explanation = `Messages to +${prefix} are held until ${heldUntil.toISOString()}, because sign-in codes are requested there but not checked. An operator can release them.`;
  expectErrorV2(refusal, 429, ['to'], explanation);
  expect(refusal.headers['retry-after']).toBe('1200');
  const twilio = await callTwilio(heliograph, account, 'POST', '/Messages.json', {
    To: `+${number(5)}`,
    From: 'Acme',
    Body: 'Hi',
  });
  expect([twilio.statusCode, twilio.json().code]).toEqual([400, 30450]);
  const input = { accountId: account.id, type: 'verify' as const, appName: 'Acme', sender: 'Acme' };
  const { service } = await createService(heliograph.deps.prisma, input, clock.now());
  const verify = await heliograph.app.inject({
    method: 'POST',
    url: `/v2/Services/${toSid('VA', service.id)}/Verifications`,
    headers: { ...buildAccountAuth(account), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ To: `+${number(6)}`, Channel: 'sms' }).toString(),
  });
  expect([verify.statusCode, verify.json().code]).toEqual([403, 60410]);
  expect(await findHolds(account)).toMatchObject([{ prefix, reason: 'codes', messages: 10, releasedAt: null }]);
  const events = await heliograph.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
  expect(events).toMatchObject([
    { type: 'account.sending_held', data: { prefix: `+${prefix}`, reason: 'codes', messages: 10 } },
  ]);
  expect((await ask(account, block().number(1))).statusCode).toBe(200);
  clock.advance(20 * MINUTE);
  expect((await ask(account, number(99))).statusCode).toBe(200);
});

it('the watch holds no block whose codes are checked, and no safe numbers', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const { number } = block();
  for (const index of [...firstTen, 10, 11]) {
    const to = number(index);
    const response = await ask(account, to);
    expect(response.statusCode, response.body).toBe(200);
    if (index > 1) continue;
    const code = await waitForCode(response.json().data.message_id);
    const checkResponse = await post(heliograph.app, '/v2/verifications/check', account, { to, code });
    expect(checkResponse.json().data.valid).toBe(true);
  }
  for (const index of [...firstTen, 10])
    expect((await ask(account, `4915177700${String(index).padStart(2, '0')}`)).statusCode).toBe(200);
  const unwatchedAccount = await createGuardedAccount(heliograph.deps, {});
  for (const index of [...firstTen, 10]) expect((await ask(unwatchedAccount, number(index))).statusCode).toBe(200);
  expect(await findHolds(account)).toEqual([]);
});

it('the watch counts the codes of a block that consists of nines', async () => {
  const account = await createGuardedAccount(heliograph.deps, { ...WATCH, refusesRisky: false });
  const to = (index: number) => `999999${String(index).padStart(4, '0')}`;
  const client = await heliograph.deps.pool.connect();
  try {
    const oneMinuteAgo = new Date(clock.now().getTime() - MINUTE);
    const verificationFields = {
      accountId: account.id,
      callingCode: '',
      digits: 6,
      createdAt: clock.now(),
      expiresAt: clock.now(),
    };
    const rows = [...firstTen.map(to), '9999980000', 'US.1'].map((recipient) => ({
      ...verificationFields,
      id: newId(),
      recipient,
    }));
    await heliograph.deps.prisma.verification.createMany({ data: rows });
    expect(await countCodes(client, account.id, '999999', oneMinuteAgo)).toEqual({ asked: 10, approved: 0 });
  } finally {
    client.release();
  }
});

it('after a hold is released manually, nothing is held there for an hour', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const developer = await createTestOperator(heliograph, { accountId: account.id, role: 'developer' });
  const { prefix, number } = block();
  for (const index of firstTen) await ask(account, number(index));
  expect((await ask(account, number(10))).statusCode).toBe(429);
  const { holds } = (await developer.ask('GET', `/accounts/${account.id}/guard`)).json().data;
  expect(holds).toMatchObject([{ prefix: `+${prefix}`, reason: 'codes', messages: 10 }]);
  const path = `/accounts/${account.id}/guard/holds/${holds[0].id}/release`;
  expect((await developer.ask('POST', path)).json().data.holds).toEqual([]);
  expect((await developer.ask('POST', path)).statusCode).toBe(404);
  for (const index of [...firstTen, 10, 11]) expect((await ask(account, number(20 + index))).statusCode).toBe(200);
  clock.advance(60 * MINUTE);
  for (const index of firstTen) expect((await ask(account, number(40 + index))).statusCode).toBe(200);
  expect((await ask(account, number(50))).statusCode).toBe(429);
});

it('the watch allows a hundred messages an hour to a new country, and then holds it', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const responses = await Promise.all(
    Array.from({ length: 128 }, (_, index) => createSms(account, `4479460${String(index).padStart(5, '0')}`)),
  );
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(100);
  expect(await findHolds(account)).toMatchObject([{ prefix: '44', reason: 'country', messages: 100 }]);
  expect((await createSms(account, '15005550111')).statusCode).toBe(200);
  expect((await createSms(account, '447946000001')).json().message).toMatch(
    /^Messages to \+44 are held until .* far more messages are sent to this country than usual/,
  );
});

it('the watch does not count safe numbers of a country, even together with others', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const safeNumbers = Array.from({ length: 150 }, (_, index) => `49151${String(index).padStart(8, '0')}`);
  expect((await createSms(account, [...safeNumbers, '4917010000001'])).statusCode).toBe(200);
  expect((await createSms(account, [...safeNumbers, '4917010000002'])).statusCode).toBe(200);
  expect(await findHolds(account)).toEqual([]);
});

it('the watch allows five times the mean hour of the last seven days', async () => {
  const account = await createGuardedAccount(heliograph.deps, WATCH);
  const hour = new Date(Math.floor(clock.now().getTime() / 3_600_000 - 24) * 3_600_000);
  await heliograph.deps.pool.query(
    `INSERT INTO hourly_counts (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages, micros, milliseconds)
     VALUES ($1, $2, '00000000-0000-0000-0000-000000000000', 'sms', 'simulator', '44', 'accepted', 0, $3, 0, 0)`,
    [account.id, hour, 40 * 7 * 24],
  );
  const to = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `4479461${String(from + index).padStart(5, '0')}`);
  expect((await createSms(account, to(0, 199))).statusCode).toBe(200);
  expect((await createSms(account, to(199, 2))).statusCode).toBe(429);
  clock.advance(20 * MINUTE);
  expect(await findHolds(account)).toMatchObject([{ prefix: '44', messages: 199 }]);
});

it('the watch lets a campaign reach any number of people, but skips held ones', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const group = await createGroup(heliograph.deps, channel, { size: 300 });
  await setTestGuard(heliograph.deps, channel.account.id, { watch: { holdMinutes: 20, safe: [] } });
  const { id } = await createCampaign(heliograph, channel, { groupId: group.id });
  expect(await waitForCampaign(heliograph, channel, id, 'completed')).toMatchObject({
    messageCount: 300,
    refusedCount: 0,
  });
  const [held] = await heliograph.deps.prisma.contact.findMany({ where: { id: group.contactIds[0] as string } });
  const now = clock.now();
  const hold = { prefix: held?.phone as string, reason: 'receipts', messages: 20, heldAt: now };
  const heldUntil = new Date(now.getTime() + MINUTE);
  await heliograph.deps.prisma.spendHold.create({
    data: { id: newId(), accountId: channel.account.id, ...hold, until: heldUntil },
  });
  const secondCampaign = await createCampaign(heliograph, channel, { groupId: group.id });
  expect(await waitForCampaign(heliograph, channel, secondCampaign.id, 'completed')).toMatchObject({
    messageCount: 299,
    refusedCount: 1,
  });
});
