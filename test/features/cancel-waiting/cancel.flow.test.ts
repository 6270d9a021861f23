import { beforeEach, describe, expect, it } from 'vitest';
import { makeChange } from '../../../src/accounts/audit/change.js';
import { cancelWaitingStep } from '../../../src/features/cancel-waiting/cancel.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { createCampaign } from '../../support/campaigns.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { accept, countStatuses, sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const CREDIT = 100_000_000n;
const PRICE = 10_000n;

describe('canceling all waiting messages of an account', () => {
  const test = sharedApp({ role: 'api' });
  let channel: TestChannel;
  let account: TestAccount;

  const cancelStep = (until = new Date(), limit?: number) =>
    makeChange(test.deps, { actor: { kind: 'cli', name: 'test' }, accountId: account.id }, (change) =>
      cancelWaitingStep(change, account.id, until, limit),
    );
  const inAnHour = () => new Date(Date.now() + 3_600_000);
  const acceptScheduled = (account: TestAccount) =>
    test.deps.acceptor.accept({ ...sendRequest(account), scheduledAt: inAnHour() });
  const listAuditLines = () =>
    test.deps.prisma.auditLine.findMany({ where: { accountId: account.id }, orderBy: { id: 'asc' } });

  beforeEach(async () => {
    channel = await createCampaignChannel(test.deps);
    account = channel.account;
  });

  it('canceling all waiting messages of an account covers waiting and scheduled messages of both surfaces, and campaigns, but nothing else', async () => {
    const otherAccount = await createTestAccount(test.deps);
    await accept(test.deps, otherAccount, {});
    const [claimed] = (await accept(test.deps, account, { to: '15005550101' })) as [string];
    await claimMessages(test.deps.pool, [claimed], new Date());
    await accept(test.deps, account, { to: ['15005550102', '15005550103'] });
    await acceptScheduled(account);
    await test.deps.acceptor.accept({
      ...sendRequest(account),
      surface: 'b',
      kind: 'whatsapp',
      channelId: channel.channelId,
    });
    const group = await createGroup(test.deps, channel, { size: 1 });
    const campaign = await createCampaign(test, channel, { groupId: group.id, scheduledAt: inAnHour().toISOString() });
    const balanceBefore = await readBalance(test.deps, account.id);

    const firstStep = await cancelStep();
    expect(firstStep).toMatchObject({ messages: 4, campaigns: [campaign.id], currency: 'USD', hasMore: false });
    expect(await countStatuses(test.deps, account.id)).toEqual({ canceled: 4, sending: 1 });
    const balanceAfter = await readBalance(test.deps, account.id);
    expect([balanceAfter - balanceBefore, Number(firstStep.refunded)]).toEqual([4n * PRICE, 0.04]);
    expect(await countStatuses(test.deps, otherAccount.id)).toEqual({ queued: 1 });
    const canceledCampaign = await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id: campaign.id } });
    expect(canceledCampaign.status).toBe('canceled');
    const ledger = await test.deps.prisma.ledgerEntry.aggregate({
      where: { accountId: account.id },
      _sum: { amountMicros: true },
    });
    expect(ledger._sum.amountMicros).toBe(balanceAfter);
    expect((await listAuditLines()).map(({ action, after }) => [action, after])).toEqual([
      [
        'account.cancelWaiting',
        { messages: 4, campaigns: [campaign.id], refunded: firstStep.refunded, currency: 'USD' },
      ],
    ]);
    expect(await cancelStep()).toMatchObject({ messages: 0, hasMore: false });
    expect(await listAuditLines()).toHaveLength(1);
  });

  it('canceling all waiting messages of an account works in steps with one audit entry each, and ignores messages accepted after the start', async () => {
    await accept(test.deps, account, { to: ['15005550101', '15005550102', '15005550103'] });
    const requestedAt = new Date();
    const laterIds = await accept(test.deps, account, {});
    await test.deps.pool.query(`UPDATE messages SET created_at = created_at + interval '1 minute' WHERE id = $1`, [
      laterIds[0],
    ]);
    expect(await cancelStep(requestedAt, 2)).toMatchObject({ messages: 2, hasMore: true });
    expect(await cancelStep(requestedAt, 2)).toMatchObject({ messages: 1, hasMore: false });
    expect(await countStatuses(test.deps, account.id)).toEqual({ canceled: 3, queued: 1 });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - PRICE);
    expect(await listAuditLines()).toHaveLength(2);
  });

  it('canceling all waiting messages of an account refunds each message once when run twice concurrently', async () => {
    await accept(test.deps, account, { to: Array.from({ length: 50 }, (_, index) => String(15005550100 + index)) });
    const steps = await Promise.all([cancelStep(), cancelStep(), cancelStep(new Date(), 10)]);
    expect(steps.reduce((sum, { messages }) => sum + messages, 0)).toBe(50);
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT);
  });

  it('canceling all waiting messages of an account is allowed for owners of the account and of the installation only', async () => {
    await accept(test.deps, account, {});
    const path = `/accounts/${account.id}/cancel-waiting`;
    const cancelAs = async (role: 'viewer' | 'developer' | 'owner', accountId: string | null) =>
      (await createTestOperator(test, { role, accountId })).ask('POST', path);
    expect((await cancelAs('developer', account.id)).statusCode).toBe(403);
    expect((await cancelAs('owner', (await createTestAccount(test.deps)).id)).statusCode).toBe(404);
    const response = await cancelAs('owner', account.id);
    expect(response.json()).toEqual({
      data: { messages: 1, campaigns: [], refunded: '0.01', currency: 'USD', hasMore: false },
    });
    expect((await cancelAs('owner', null)).json().data).toMatchObject({ messages: 0 });
    await expect(
      makeChange(test.deps, { actor: { kind: 'cli', name: 'test' }, accountId: null }, (change) =>
        cancelWaitingStep(change, newId(), new Date()),
      ),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
