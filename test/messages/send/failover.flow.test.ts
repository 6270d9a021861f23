import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../src/carriers/carrier.js';
import { CarrierError, type CarrierErrorOptions } from '../../../src/carriers/carrier-error.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, ORDINARY_NUMBER, waitForAllMessages } from '../../support/sends.js';
import { waitFor } from '../../support/wait-for.js';

const createFailure = (code: string, options: CarrierErrorOptions) => () => {
  throw new CarrierError(code, `It failed with ${code}.`, options);
};

describe('an SMS with several carriers in its route', () => {
  const { heliograph, pair } = suiteOnTwoCarriers();

  const send = async (to = ORDINARY_NUMBER): Promise<string> => {
    const [id] = await accept(heliograph.deps, pair.account, { to });
    return id as string;
  };
  const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const listSubmittedTo = (id: string) =>
    [pair.first, pair.second].flatMap((carrier) =>
      carrier.submitted.filter((message: OutboundMessage) => message.id === id).map(() => carrier.name),
    );

  it('an SMS goes to the first carrier of its route', async () => {
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(listSubmittedTo(id)).toEqual([pair.first.name]);
    expect(await findMessage(id)).toMatchObject({ carrier: pair.first.name, attempts: 1 });
  });

  it('an accepted SMS is assigned to the first carrier, per recipient by its own route', async () => {
    await heliograph.deps.prisma.route.create({
      data: { id: newId(), accountId: pair.account.id, callingCode: '4072', carriers: [pair.second.name] },
    });
    await heliograph.deps.routing.reload();
    const to = ['15005550100', '40722000000', '15005550100'];
    const ids = await accept(heliograph.deps, pair.account, { to });
    const rows = await Promise.all(ids.map(findMessage));
    expect(rows.map(({ carrier }) => carrier)).toEqual([pair.first.name, pair.second.name, pair.first.name]);
    const [other] = await accept(heliograph.deps, await createTestAccount(heliograph.deps));
    expect(await findMessage(other as string)).toMatchObject({ carrier: 'simulator' });
  });

  it('an SMS skips a carrier that is down, and returns to it once it is up', async () => {
    pair.first.goDown();
    const skippedId = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(listSubmittedTo(skippedId)).toEqual([pair.second.name]);
    expect(await findMessage(skippedId)).toMatchObject({
      carrier: pair.second.name,
      attempts: 1,
      carrierMessageId: `${pair.second.name}-${skippedId}`,
    });
    pair.first.currentState = { up: true };
    pair.first.script = ({ id }) => ({ carrierMessageId: id });
    const nextId = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(listSubmittedTo(nextId)).toEqual([pair.first.name]);
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
    expect(await findMessage(id)).toMatchObject({ status: 'delivered' });
  });

  it.each<[string, CarrierErrorOptions]>([
    ['throttles', { retryable: true }],
    ['has not tried', { retryable: true, notTried: true, pauseMs: 60_000 }],
  ])('an SMS passes from a carrier that %s to the next within the same attempt', async (_case, options) => {
    pair.first.script = createFailure('BUSY', options);
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect(listSubmittedTo(id)).toEqual([pair.first.name, pair.second.name]);
    expect(await findMessage(id)).toMatchObject({ carrier: pair.second.name, attempts: 1, errorCode: null });
  });

  it('an SMS fails at the first carrier that refuses it for good', async () => {
    pair.first.script = createFailure('BAD_NUMBER', { retryable: false });
    const balanceBefore = await readBalance(heliograph.deps, pair.account.id);
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'failed');
    expect(listSubmittedTo(id)).toEqual([pair.first.name]);
    expect(await findMessage(id)).toMatchObject({ errorCode: 'BAD_NUMBER', refunded: true });
    expect(await readBalance(heliograph.deps, pair.account.id)).toBe(balanceBefore);
  });

  it('an SMS is not passed on when a response was lost, because it may be on its way', async () => {
    pair.first.script = createFailure('LOST', { retryable: true, answerLost: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode === 'LOST');
    expect(new Set(listSubmittedTo(id))).toEqual(new Set([pair.first.name]));
    expect(await findMessage(id)).toMatchObject({ status: 'sending', maybeAccepted: true });
    pair.first.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
  });

  it('an SMS is retried later when no carrier accepts it, with the error of a carrier that was reached', async () => {
    pair.first.goDown();
    pair.second.script = createFailure('BUSY', { retryable: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode !== null);
    expect(await findMessage(id)).toMatchObject({ status: 'sending', errorCode: 'BUSY', maybeAccepted: false });
    pair.second.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect((await findMessage(id)).attempts).toBeGreaterThan(1);
  });

  it('an SMS is not retried before the pause ends that its only carrier requested', async () => {
    await heliograph.deps.prisma.route.updateMany({ data: { carriers: [pair.first.name] } });
    await heliograph.deps.routing.reload();
    pair.first.script = createFailure('PAIR_LIMIT', { retryable: true, notTried: true, pauseMs: 120_000 });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode === 'PAIR_LIMIT');
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
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode !== null);
    expect(await findMessage(id)).toMatchObject({ errorCode: 'CARRIER_FAILURE', maybeAccepted: true });
    expect(new Set(listSubmittedTo(id))).toEqual(new Set([pair.first.name]));
  });
});
