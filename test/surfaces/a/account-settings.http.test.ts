import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_SWITCHED_OFF,
  setAccountActive,
  setLowBalanceThreshold,
  setSenderIds,
} from '../../../src/accounts/account-settings.js';
import { creditAccount } from '../../../src/accounts/accounts.js';
import { claimRuns } from '../../../src/features/automations/run-store.js';
import { takeTurn } from '../../../src/features/campaigns/campaign-store.js';
import { emitLowBalances } from '../../../src/features/low-balance/watch-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import { startCampaign } from '../../support/campaigns.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, get, post, readAccountState, SMS, sendSms, sendV2 } from './requests.js';

// The tests run jobs for all accounts, so no other suite may share this application.
const heliograph = suiteApp({ role: 'api' });

describe('a disabled account', () => {
  it('returns 403 with the reason to its keys, and can send again once enabled', async () => {
    const { prisma } = heliograph.deps;
    const channel = await createTestChannel(heliograph.deps);
    const { account, headers } = channel;
    await setAccountActive(prisma, account.id, false);
    expectErrorV1(await sendSms(heliograph.app, account, SMS), 403, ACCOUNT_SWITCHED_OFF);
    expectErrorV2(await sendV2(heliograph.app, account, SMS), 403, [], ACCOUNT_SWITCHED_OFF);
    expectErrorV1(await get(heliograph.app, '/v1.0/account/balance', account), 403, ACCOUNT_SWITCHED_OFF);
    const channelResponse = await heliograph.app.inject({ url: '/api/v1/account', headers });
    expect(channelResponse.statusCode).toBe(403);
    expect(channelResponse.json()).toMatchObject({
      success: false,
      error: { code: 'FORBIDDEN', message: ACCOUNT_SWITCHED_OFF },
    });
    expect(await readAccountState(heliograph, account)).toMatchObject({ messages: 0, balance: 100_000_000n });

    await setAccountActive(prisma, account.id, true);
    await waitFor(
      'the key to be accepted again',
      async () => (await sendSms(heliograph.app, account, SMS)).statusCode === 200,
    );
  });

  it('pauses its campaigns and automations until it is enabled', async () => {
    const { pool, prisma } = heliograph.deps;
    const { channel } = await startCampaign(heliograph, 1);
    const automation = await createAutomation(heliograph, channel, [{ type: 'wait', seconds: 1 }]);
    const run = await triggerAutomation(heliograph, channel, automation, { phone: '15005550111' });
    await setAccountActive(prisma, channel.account.id, false);
    const inOneMinute = new Date(Date.now() + 60_000);
    expect(await takeTurn(pool, inOneMinute)).toBeFalsy();
    expect(await claimRuns(pool, inOneMinute, 10)).toEqual([]);
    await setAccountActive(prisma, channel.account.id, true);
    expect(await takeTurn(pool, inOneMinute)).toMatchObject({ sender: { account: { id: channel.account.id } } });
    expect(await claimRuns(pool, inOneMinute, 10)).toMatchObject([{ id: run.id }]);
  });
});

describe('allowed sender IDs of an account', () => {
  it('do not restrict sends until set, and then restrict every SMS send', async () => {
    const account = await createTestAccount(heliograph.deps);
    await setSenderIds(heliograph.deps.prisma, account.id, ['Shop', '+1 (500) 555-0100']);
    const rule = 'must be a sender ID that the account may use: Shop, +1 (500) 555-0100';
    for (const from of ['Shop', '15005550100', '+15005550100']) {
      expect((await sendSms(heliograph.app, account, { ...SMS, from })).statusCode, from).toBe(200);
    }
    const stateBefore = await readAccountState(heliograph, account);
    for (const from of ['shop', 'Bank', '15005550101']) {
      expectErrorV1(await sendSms(heliograph.app, account, { ...SMS, from }), 400, `from ${rule}`);
      expectErrorV2(await sendV2(heliograph.app, account, { ...SMS, from }), 400, ['from'], `from ${rule}`);
      expectErrorV2(await post(heliograph.app, '/v2/estimate', account, { ...SMS, from }), 400, ['from']);
    }
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('restrict the fallback SMS of a WhatsApp message, but not the message itself', async () => {
    const { account, phoneNumber } = await createTestChannel(heliograph.deps);
    await setSenderIds(heliograph.deps.prisma, account.id, ['Shop']);
    const send = (fallback: object) =>
      sendV2(heliograph.app, account, {
        to: '15005550111',
        from: phoneNumber,
        channel: 'whatsapp',
        message: 'Hello',
        ...fallback,
      });
    expect((await send({})).statusCode).toBe(200);
    expect((await send({ fallback: { channel: 'sms', from: 'Shop' } })).statusCode).toBe(200);
    expectErrorV2(await send({ fallback: { channel: 'sms', from: 'Bank' } }), 400, ['fallback.from']);
  });
});

describe('account.balance_low', () => {
  it('is sent once when the balance falls below the threshold, and again only after the balance has risen above it', async () => {
    const { prisma, pool } = heliograph.deps;
    const account = await createTestAccount(heliograph.deps, { creditMicros: 50_000n });
    const webhookBody = { url: 'https://example.com/', events: ['account.balance_low'] };
    const { id } = (await post(heliograph.app, '/v2/webhooks', account, webhookBody)).json().data;
    const readEvents = async () => {
      await emitLowBalances(pool);
      const rows = await prisma.webhookDelivery.findMany({ where: { webhookId: id }, orderBy: { id: 'asc' } });
      return rows.map(({ data }) => data);
    };
    const send = async () => expect((await sendSms(heliograph.app, account, SMS)).statusCode).toBe(200);
    const event = (balance: number) => ({ accountId: account.id, balance, threshold: 0.03, currency: 'USD' });

    await setLowBalanceThreshold(prisma, account.id, 30_000n);
    await send();
    await send();
    expect(await readEvents()).toEqual([]);
    await send();
    await send();
    expect(await readEvents()).toEqual([event(0.01)]);
    await send();
    expect(await readEvents()).toEqual([event(0.01)]);
    await creditAccount(prisma, { accountId: account.id, amountMicros: 30_000n });
    expect(await readEvents()).toEqual([event(0.01)]);
    await send();
    await Promise.all([emitLowBalances(pool), emitLowBalances(pool)]);
    expect(await readEvents()).toEqual([event(0.01), event(0.02)]);
    await setLowBalanceThreshold(prisma, account.id, null);
    expect(await readEvents()).toHaveLength(2);
  });

  it('is sent once if several debits that commit together cross the threshold', async () => {
    const { prisma, pool } = heliograph.deps;
    const account = await createTestAccount(heliograph.deps, { creditMicros: 100_000n });
    const webhookBody = { url: 'https://example.com/', events: ['account.balance_low'] };
    const { id } = (await post(heliograph.app, '/v2/webhooks', account, webhookBody)).json().data;
    await setLowBalanceThreshold(prisma, account.id, 50_000n);
    const sends = Array.from({ length: 10 }, () => sendSms(heliograph.app, account, SMS));
    const checks = Array.from({ length: 5 }, () => emitLowBalances(pool));
    for (const { statusCode } of await Promise.all(sends)) expect(statusCode).toBe(200);
    await Promise.all(checks);
    await emitLowBalances(pool);
    const deliveries = await prisma.webhookDelivery.findMany({ where: { webhookId: id } });
    expect(deliveries.map(({ data }) => data)).toEqual([
      expect.objectContaining({ accountId: account.id, threshold: 0.05 }),
    ]);
    await setLowBalanceThreshold(prisma, account.id, null);
  });
});
