import { beforeEach, describe, expect, it } from 'vitest';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import { cancelMessage } from '../../../src/messages/cancel/cancel.js';
import { foldCounts } from '../../../src/messages/counters/fold-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { readAllCounts, readConsistentCounts, recountFromMessages, sumByEvent } from '../../support/counts.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { checkUntil, waitForStatus } from '../../support/messages.js';
import { accept, FINAL_STATUS_BY_NUMBER, sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const PRICE = 10_000n;

describe('hourly counts agree with the messages and the ledger', () => {
  const faults = new ControlledFaults();
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ faults, clock });
  let account: TestAccount;

  beforeEach(async () => {
    account = await createTestAccount(heliograph.deps);
  });

  const readCounts = (accountId = account.id) => readConsistentCounts(heliograph.deps, accountId);
  async function expectTruth(accountId = account.id) {
    const expectedCounts = await recountFromMessages(heliograph.deps, accountId);
    expect(await readCounts(accountId)).toEqual(expectedCounts);
    await Promise.all([foldCounts(heliograph.deps.pool), foldCounts(heliograph.deps.pool)]);
    expect(await readCounts(accountId)).toEqual(expectedCounts);
    return expectedCounts;
  }
  const send = (to: string | readonly string[], overrides: object = {}) =>
    accept(heliograph.deps, account, { to, ...overrides });

  it('every final status is counted, with charges and refunds', async () => {
    const expectedStatuses = { ...FINAL_STATUS_BY_NUMBER, '4915112345678': 'delivered' };
    for (const [to, status] of Object.entries(expectedStatuses))
      await waitForStatus(heliograph, await send(to), status);
    const expectedCounts = await expectTruth();
    expect(expectedCounts).toEqual({
      numbers: { accepted: 6, sent: 5, delivered: 3, read: 1, undelivered: 1, failed: 1, expired: 1 },
      charged: 6n * PRICE,
      refunded: PRICE,
    });
  });

  it('messages are counted by channel, carrier, country and delivery time', async () => {
    await waitForStatus(heliograph, await send(['4915112345678', '4915112345679', '351912345678']), 'delivered');
    await waitForStatus(heliograph, await send('12125550100', { key: 'of the general statement' }), 'delivered');
    for (const isFolded of [false, true]) {
      if (isFolded) await foldCounts(heliograph.deps.pool);
      const { byChannel, byCarrier, byCountry, bySlot, byTime } = await readAllCounts(heliograph.deps, account.id);
      const filterAccepted = <T extends { event: string }>(rows: T[]) =>
        rows.filter(({ event }) => event === 'accepted');
      expect(filterAccepted(byChannel)).toMatchObject([
        { channelId: null, kind: 'sms', messages: 4, micros: 4n * PRICE },
      ]);
      expect(filterAccepted(byCarrier)).toMatchObject([{ carrier: 'simulator', messages: 4 }]);
      for (const event of ['accepted', 'sent', 'delivered']) {
        const codes = byCountry.filter((row) => row.event === event);
        expect(Object.fromEntries(codes.map(({ callingCode, messages }) => [callingCode, messages]))).toEqual({
          1: 1,
          49: 2,
          351: 1,
        });
      }
      expect(sumByEvent(bySlot)).toEqual({ delivered: 4 });
      const { rows } = await heliograph.deps.pool.query<{ milliseconds: number }>(
        `SELECT sum(extract(epoch FROM delivered_at - created_at) * 1000)::float8 AS milliseconds FROM messages
         WHERE account_id = $1`,
        [account.id],
      );
      const deliveredRows = byTime.filter(({ event }) => event === 'delivered');
      expect(deliveredRows.reduce((sum, { milliseconds }) => sum + milliseconds, 0)).toBe(rows[0]?.milliseconds);
    }
  });

  it('the delivery time of a scheduled message is measured from the scheduled time', async () => {
    const scheduledAt = new Date(clock.now().getTime() + 3_600_000);
    const request = { ...sendRequest(account), scheduledAt };
    const [message] = (await heliograph.deps.acceptor.accept(request)).messages;
    clock.advance(3_600_000);
    await heliograph.deps.pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [message?.id],
    );
    await waitForStatus(heliograph, [message?.id as string], 'delivered');
    const { bySlot, byTime } = await readAllCounts(heliograph.deps, account.id);
    expect(bySlot.reduce((sum, { milliseconds }) => sum + milliseconds, 0)).toBeLessThan(60_000);
    expect(sumByEvent(byTime)).toEqual({ accepted: 1, sent: 1, delivered: 1 });
  });

  it('a message canceled repeatedly is counted and refunded once', async () => {
    const scheduledAt = new Date(clock.now().getTime() + 3_600_000);
    const { messages } = await heliograph.deps.acceptor.accept({ ...sendRequest(account), scheduledAt });
    const target = { id: messages[0]?.id as string, accountId: account.id };
    const canceled = await Promise.all([1, 2, 3].map(() => cancelMessage(heliograph.deps, target)));
    expect(canceled.filter(Boolean)).toHaveLength(1);
    expect(await expectTruth()).toEqual({ numbers: { accepted: 1, canceled: 1 }, charged: PRICE, refunded: PRICE });
  });

  it('a message that never gets a receipt is counted as expired', async () => {
    const [id] = (await send('15005550005')) as [string];
    await waitForStatus(heliograph, [id], 'sent');
    clock.advance(5 * 24 * 3_600_000);
    await checkUntil(heliograph, id, 'expired');
    expect((await expectTruth()).numbers).toEqual({ accepted: 1, sent: 1, expired: 1 });
  });

  it('a large request is counted at once, and a refused one not at all', async () => {
    const manyNumbers = Array.from({ length: 1_200 }, (_, index) => `4915112${String(index).padStart(6, '0')}`);
    const request = sendRequest(account, { to: [...manyNumbers, '351912345678'] });
    await heliograph.deps.acceptor.accept(request);
    const poor = await createTestAccount(heliograph.deps, { creditMicros: 5n * PRICE });
    await expect(heliograph.deps.acceptor.accept(sendRequest(poor, { to: manyNumbers }))).rejects.toThrow();
    await expect(
      heliograph.deps.acceptor.accept(sendRequest(poor, { to: manyNumbers.slice(0, 7), key: 'x' })),
    ).rejects.toThrow();
    expect((await readCounts(poor.id)).numbers).toEqual({});
    const { byCountry } = await readAllCounts(heliograph.deps, account.id);
    expect(byCountry.filter(({ event }) => event === 'accepted')).toMatchObject([
      { callingCode: '49', messages: 1_200, micros: 1_200n * PRICE },
      { callingCode: '351', messages: 1, micros: PRICE },
    ]);
  });

  it('a commit with a lost response and a reused idempotency key are counted once', async () => {
    faults.fail('accept:answer', new Error('the connection broke'));
    const ids = await send(['15005550100', '15005550101'], { key: 'again' });
    expect(await send(['15005550100', '15005550101'], { key: 'again' })).toEqual(ids);
    faults.fail('accept:answer', new Error('the connection broke'));
    const plainIds = await send('15005550100');
    await waitForStatus(heliograph, [...ids, ...plainIds], 'delivered');
    expect((await expectTruth()).numbers).toEqual({ accepted: 3, sent: 3, delivered: 3 });
  });

  it('inbound messages are counted once, and messages stopped by an opt-out too', async () => {
    const channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const inbound = { from: '4915112345678', id: 'the same' };
    for (const text of ['STOP', 'STOP']) await playInbound(heliograph, channel, { ...inbound, text });
    await receiveInbound(
      heliograph.deps,
      { id: channel.channelId, accountId: channel.account.id, kind: 'sms', phoneNumber: channel.phoneNumber },
      { carrierMessageId: 'x', from: 'INFO', type: 'text', body: 'Hello', payload: {}, receivedAt: new Date() },
    );
    const request = { ...sendRequest(channel.account, { to: '4915112345678' }), sender: channel.phoneNumber };
    const { messages } = await heliograph.deps.acceptor.accept(request);
    await waitForStatus(heliograph, [messages[0]?.id as string], 'rejected');
    expect(await expectTruth(channel.account.id)).toEqual({
      numbers: { inbound: 2, accepted: 1, opted_out: 1 },
      charged: PRICE,
      refunded: PRICE,
    });
    const { byChannel, byCountry } = await readAllCounts(heliograph.deps, channel.account.id);
    expect(byChannel).toContainEqual(
      expect.objectContaining({ event: 'inbound', channelId: channel.channelId, messages: 2 }),
    );
    expect(
      byCountry
        .filter(({ event }) => event === 'inbound')
        .map(({ callingCode }) => callingCode)
        .sort(),
    ).toEqual(['', '49']);
  });

  it('two processes that accept, send and fold concurrently count exactly', async () => {
    const otherServer = await testApp({ sharesWith: heliograph, clock });
    const secondAccount = await createTestAccount(heliograph.deps);
    let isFolding = true;
    const foldRepeatedly = async (pool: typeof otherServer.deps.pool) => {
      while (isFolding) await foldCounts(pool);
    };
    const foldRuns = [foldRepeatedly(heliograph.deps.pool), foldRepeatedly(otherServer.deps.pool)];
    try {
      const sends = Array.from({ length: 300 }, (_, index) =>
        accept(index % 2 ? heliograph.deps : otherServer.deps, index % 3 ? account : secondAccount, {
          to: ['4915112345678', index % 5 ? '15005550006' : '15005550001'],
          ...(index % 4 === 0 && { key: `key ${index}` }),
        }),
      );
      const ids = (await Promise.all(sends)).map(([, id]) => id as string);
      await waitForStatus(
        heliograph,
        ids.filter((_, index) => index % 5 === 0),
        'failed',
      );
      await waitForStatus(
        heliograph,
        ids.filter((_, index) => index % 5),
        'read',
      );
    } finally {
      isFolding = false;
      await Promise.all(foldRuns);
      await otherServer.close();
    }
    for (const { id } of [account, secondAccount]) await expectTruth(id);
    expect((await readCounts()).numbers.accepted).toBe(400);
  });
});
