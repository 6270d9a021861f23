import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../src/carriers/carrier.js';
import { CarrierError, type CarrierErrorOptions } from '../../../src/carriers/carrier-error.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, ORDINARY_NUMBER, waitForAllMessages } from '../../support/sends.js';
import { waitFor } from '../../support/wait-for.js';

const fails = (code: string, options: CarrierErrorOptions) => () => {
  throw new CarrierError(code, `It failed with ${code}.`, options);
};

describe('an SMS with several carriers in its route', () => {
  const { heliograph, pair } = suiteOnTwoCarriers();

  const send = async (to = ORDINARY_NUMBER): Promise<string> => {
    const [id] = await accept(heliograph.deps, pair.account, { to });
    return id as string;
  };
  const row = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const takers = (id: string) =>
    [pair.first, pair.second].flatMap((carrier) =>
      carrier.submitted.filter((message: OutboundMessage) => message.id === id).map(() => carrier.name),
    );

  it('an SMS goes to the first carrier of its route', async () => {
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(takers(id)).toEqual([pair.first.name]);
    expect(await row(id)).toMatchObject({ carrier: pair.first.name, attempts: 1 });
  });

  it('an accepted SMS is assigned to the first carrier, per recipient by its own route', async () => {
    await heliograph.deps.prisma.route.create({
      data: { id: newId(), accountId: pair.account.id, callingCode: '4072', carriers: [pair.second.name] },
    });
    await heliograph.deps.routing.reload();
    const to = ['15005550100', '40722000000', '15005550100'];
    const ids = await accept(heliograph.deps, pair.account, { to });
    const rows = await Promise.all(ids.map(row));
    expect(rows.map(({ carrier }) => carrier)).toEqual([pair.first.name, pair.second.name, pair.first.name]);
    const [other] = await accept(heliograph.deps, await createTestAccount(heliograph.deps));
    expect(await row(other as string)).toMatchObject({ carrier: 'simulator' });
  });

  it('an SMS skips a carrier that is down, and returns to it once it is up', async () => {
    pair.first.goDown();
    const past = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(takers(past)).toEqual([pair.second.name]);
    expect(await row(past)).toMatchObject({
      carrier: pair.second.name,
      attempts: 1,
      carrierMessageId: `${pair.second.name}-${past}`,
    });
    pair.first.currentState = { up: true };
    pair.first.script = ({ id }) => ({ carrierMessageId: id });
    const back = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(takers(back)).toEqual([pair.first.name]);
  });

  it('an SMS gets its receipt by the ID from the second carrier', async () => {
    pair.first.goDown();
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    const receipt = {
      carrier: pair.second.name,
      carrierMessageId: `${pair.second.name}-${id}`,
      occurredAt: new Date(),
    } as const;
    await pair.second.sinks?.receipts([{ ...receipt, status: 'delivered' }]);
    expect(await row(id)).toMatchObject({ status: 'delivered' });
  });

  it.each<[string, CarrierErrorOptions]>([
    ['throttles', { retryable: true }],
    ['has not tried', { retryable: true, notTried: true, pauseMs: 60_000 }],
  ])('an SMS passes from a carrier that %s to the next within the same attempt', async (_what, options) => {
    pair.first.script = fails('BUSY', options);
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(takers(id)).toEqual([pair.first.name, pair.second.name]);
    expect(await row(id)).toMatchObject({ carrier: pair.second.name, attempts: 1, errorCode: null });
  });

  it('an SMS fails at the first carrier that refuses it for good', async () => {
    pair.first.script = fails('BAD_NUMBER', { retryable: false });
    const before = await readBalance(heliograph.deps, pair.account.id);
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'failed');
    expect(takers(id)).toEqual([pair.first.name]);
    expect(await row(id)).toMatchObject({ errorCode: 'BAD_NUMBER', refunded: true });
    expect(await readBalance(heliograph.deps, pair.account.id)).toBe(before);
  });

  it('an SMS is not passed on when a response was lost, because it may be on its way', async () => {
    pair.first.script = fails('LOST', { retryable: true, answerLost: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'LOST');
    expect(new Set(takers(id))).toEqual(new Set([pair.first.name]));
    expect(await row(id)).toMatchObject({ status: 'sending', maybeAccepted: true });
    pair.first.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
  });

  it('an SMS is retried later when no carrier accepts it, with the error of a carrier that was reached', async () => {
    pair.first.goDown();
    pair.second.script = fails('BUSY', { retryable: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode !== null);
    expect(await row(id)).toMatchObject({ status: 'sending', errorCode: 'BUSY', maybeAccepted: false });
    pair.second.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect((await row(id)).attempts).toBeGreaterThan(1);
  });

  it('an SMS is not retried before the pause ends that its only carrier requested', async () => {
    await heliograph.deps.prisma.route.updateMany({ data: { carriers: [pair.first.name] } });
    await heliograph.deps.routing.reload();
    pair.first.script = fails('PAIR_LIMIT', { retryable: true, notTried: true, pauseMs: 120_000 });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'PAIR_LIMIT');
    const { rows } = await heliograph.deps.pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM not_before - now())::float AS seconds FROM messages WHERE id = $1',
      [id],
    );
    expect(rows[0]?.seconds).toBeGreaterThan(100);
  });

  it('an unexpected exception of a carrier counts as a lost response', async () => {
    pair.first.script = () => {
      throw new TypeError('a bug');
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode !== null);
    expect(await row(id)).toMatchObject({ errorCode: 'CARRIER_FAILURE', maybeAccepted: true });
    expect(new Set(takers(id))).toEqual(new Set([pair.first.name]));
  });
});
