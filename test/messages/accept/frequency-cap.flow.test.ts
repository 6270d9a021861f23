import { describe, expect, it } from 'vitest';
import { type FrequencyCap, setFrequencyCap } from '../../../src/accounts/frequency-cap.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const NUMBER = '15005550111';
const OTHER_NUMBER = '15005550112';
const HOUR_MS = 3_600_000;

describe('the frequency cap of an account', () => {
  const heliograph = sharedApp({ role: 'api' });

  async function createCapped(frequencyCap: FrequencyCap | null): Promise<TestAccount> {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 100_000_000n });
    await setFrequencyCap(heliograph.deps.prisma, account.id, frequencyCap);
    return account;
  }

  async function accept(account: TestAccount, to: string | string[], changes: Partial<SendRequest> = {}) {
    const { prisma, acceptor } = heliograph.deps;
    const { frequencyCap } = await prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    const request = { ...sendRequest(account, { to }), purpose: 'marketing' as const, ...changes };
    return acceptor.accept({ ...request, account: { ...request.account, frequencyCap } });
  }

  const countMessages = (accountId: string) => heliograph.deps.prisma.message.count({ where: { accountId } });

  it('refuses marketing above the cap, names the number and the next possible time, and charges nothing', async () => {
    const account = await createCapped({ messages: 2, days: 1 });
    const first = await accept(account, NUMBER);
    await accept(account, NUMBER);
    const balance = await readBalance(heliograph.deps, account.id);
    const next = new Date(first.acceptedAt.getTime() + 24 * HOUR_MS).toISOString();
    await expect(accept(account, [OTHER_NUMBER, NUMBER])).rejects.toMatchObject({
      code: 'FREQUENCY_CAP',
      status: 400,
      message: `to must not get more than 2 marketing messages in 24 hours, the frequency cap of the account: ${NUMBER}. ${NUMBER} can get the next one at ${next}.`,
      fields: [{ field: 'to', rule: 'must not get more than 2 marketing messages in 24 hours' }],
    });
    expect(await countMessages(account.id)).toBe(2);
    expect(await readBalance(heliograph.deps, account.id)).toBe(balance);
    await accept(account, OTHER_NUMBER);
  });

  it('does not apply to other purposes, other accounts and accounts without a cap', async () => {
    const account = await createCapped({ messages: 1, days: 1 });
    await accept(account, NUMBER);
    await accept(account, NUMBER, { purpose: 'transactional' });
    await accept(account, NUMBER, { purpose: 'verification' });
    await accept(await createCapped({ messages: 1, days: 1 }), NUMBER);
    const uncapped = await createCapped(null);
    for (const _ of [1, 2]) await accept(uncapped, NUMBER);
    const rows = await heliograph.deps.prisma.message.findMany({ where: { accountId: uncapped.id } });
    expect(rows.map(({ isCapped }) => isCapped)).toEqual([null, null]);
  });

  it('counts one number over SMS and both WhatsApp forms of it', async () => {
    const account = await createCapped({ messages: 1, days: 7 });
    await accept(account, '5215512345678', { kind: 'whatsapp', channelId: newId() });
    await expect(accept(account, '525512345678')).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
  });

  it('counts two messages of one request to the same number', async () => {
    const account = await createCapped({ messages: 1, days: 1 });
    await expect(accept(account, [NUMBER, NUMBER])).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
    await accept(account, NUMBER);
  });

  it('is not exceeded by concurrent sends', async () => {
    const account = await createCapped({ messages: 3, days: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => accept(account, NUMBER)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await countMessages(account.id)).toBe(3);
  });

  it('counts messages at their scheduled time, in every period that contains them', async () => {
    const account = await createCapped({ messages: 1, days: 1 });
    const now = heliograph.deps.clock.now().getTime();
    const atHour = (hours: number) => ({ scheduledAt: new Date(now + hours * HOUR_MS) });
    await accept(account, NUMBER, atHour(48));
    await expect(accept(account, NUMBER, atHour(48 - 23.9))).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
    await expect(accept(account, NUMBER, atHour(48 + 23.9))).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
    await accept(account, NUMBER, atHour(24));
    await accept(account, NUMBER, atHour(72));
    expect(await countMessages(account.id)).toBe(3);
  });

  it.each([
    [1, 24],
    [7, 168],
  ] as const)('forgets messages after %d days of 24 hours', async (days, hours) => {
    const account = await createCapped({ messages: 1, days });
    const sentHoursAgo = async (age: number) =>
      heliograph.deps.prisma.message.updateMany({
        where: { accountId: account.id },
        data: { createdAt: new Date(heliograph.deps.clock.now().getTime() - age * HOUR_MS) },
      });
    await accept(account, NUMBER);
    await sentHoursAgo(hours - 0.1);
    await expect(accept(account, NUMBER)).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
    await sentHoursAgo(hours);
    await accept(account, NUMBER);
  });

  it.each(['canceled', 'failed', 'rejected', 'expired', 'undelivered'] as const)(
    'does not count %s messages, unless a carrier may have accepted them',
    async (status) => {
      const account = await createCapped({ messages: 1, days: 1 });
      await accept(account, NUMBER);
      const where = { accountId: account.id };
      await heliograph.deps.prisma.message.updateMany({ where, data: { status, maybeAccepted: true } });
      await expect(accept(account, NUMBER)).rejects.toMatchObject({ code: 'FREQUENCY_CAP' });
      await heliograph.deps.prisma.message.updateMany({ where, data: { maybeAccepted: false } });
      await accept(account, NUMBER);
    },
  );

  it('repeats the response to a repeated request', async () => {
    const account = await createCapped({ messages: 1, days: 1 });
    const { idempotencyKey } = sendRequest(account, { key: 'once' });
    const first = await accept(account, NUMBER, { idempotencyKey });
    const second = await accept(account, NUMBER, { idempotencyKey });
    expect([second.replayed, second.messages[0]?.id]).toEqual([true, first.messages[0]?.id]);
  });
});
