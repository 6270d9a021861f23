import { beforeEach, describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../src/carriers/carrier.js';
import { CarrierError, type CarrierErrorOptions } from '../../../src/carriers/carrier-error.js';
import { newId } from '../../../src/platform/ids.js';
import { balanceOf, createTestAccount, type TestAccount } from '../../support/accounts.js';
import { accountOnTwoCarriers, type ScriptedCarrier, scriptedType } from '../../support/carriers/scripted-carrier.js';
import { accept, allReach, ORDINARY_NUMBER } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const fails = (code: string, options: CarrierErrorOptions) => () => {
  throw new CarrierError(code, `It failed with ${code}.`, options);
};

describe('an SMS whose route has several carriers', () => {
  const type = scriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  let account: TestAccount;
  let first: ScriptedCarrier;
  let second: ScriptedCarrier;

  const send = async (to = ORDINARY_NUMBER): Promise<string> => {
    const [id] = await accept(heliograph.deps, account, { to });
    return id as string;
  };
  const row = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const takers = (id: string) =>
    [first, second].flatMap((carrier) =>
      carrier.submitted.filter((message: OutboundMessage) => message.id === id).map(() => carrier.name),
    );

  beforeEach(async () => {
    await heliograph.deps.prisma.route.deleteMany({});
    ({ account, first, second } = await accountOnTwoCarriers(heliograph, type));
  });

  it('goes to the first', async () => {
    const id = await send();
    await allReach(heliograph.deps, account.id, 'sent');
    expect(takers(id)).toEqual([first.name]);
    expect(await row(id)).toMatchObject({ carrier: first.name, attempts: 1 });
  });

  it('is assigned to the first when it is accepted, each recipient to that of its own route', async () => {
    await heliograph.deps.prisma.route.create({
      data: { id: newId(), accountId: account.id, callingCode: '4072', carriers: [second.name] },
    });
    await heliograph.deps.routing.reload();
    const to = ['15005550100', '40722000000', '15005550100'];
    const ids = await accept(heliograph.deps, account, { to });
    const rows = await Promise.all(ids.map(row));
    expect(rows.map(({ carrier }) => carrier)).toEqual([first.name, second.name, first.name]);
    const [other] = await accept(heliograph.deps, await createTestAccount(heliograph.deps));
    expect(await row(other as string)).toMatchObject({ carrier: 'simulator' });
  });

  it('goes past one that is down without asking it, and back to it once it is up', async () => {
    first.goDown();
    const past = await send();
    await allReach(heliograph.deps, account.id, 'sent');
    expect(takers(past)).toEqual([second.name]);
    expect(await row(past)).toMatchObject({
      carrier: second.name,
      attempts: 1,
      carrierMessageId: `${second.name}-${past}`,
    });
    first.current = { up: true };
    first.script = ({ id }) => ({ carrierMessageId: id });
    const back = await send();
    await allReach(heliograph.deps, account.id, 'sent');
    expect(takers(back)).toEqual([first.name]);
  });

  it('finds its message again by the id that the second gave it', async () => {
    first.goDown();
    const id = await send();
    await allReach(heliograph.deps, account.id, 'sent');
    const receipt = { carrier: second.name, carrierMessageId: `${second.name}-${id}`, occurredAt: new Date() } as const;
    await second.sinks?.receipts([{ ...receipt, status: 'delivered' }]);
    expect(await row(id)).toMatchObject({ status: 'delivered' });
  });

  it.each<[string, CarrierErrorOptions]>([
    ['throttles', { retryable: true }],
    ['has not tried', { retryable: true, notTried: true, pauseMs: 60_000 }],
  ])('passes from one that %s to the next within the same attempt', async (_what, options) => {
    first.script = fails('BUSY', options);
    const id = await send();
    await allReach(heliograph.deps, account.id, 'sent');
    expect(takers(id)).toEqual([first.name, second.name]);
    expect(await row(id)).toMatchObject({ carrier: second.name, attempts: 1, errorCode: null });
  });

  it('fails at the first that refuses it for good', async () => {
    first.script = fails('BAD_NUMBER', { retryable: false });
    const before = await balanceOf(heliograph.deps, account.id);
    const id = await send();
    await allReach(heliograph.deps, account.id, 'failed');
    expect(takers(id)).toEqual([first.name]);
    expect(await row(id)).toMatchObject({ errorCode: 'BAD_NUMBER', refunded: true });
    expect(await balanceOf(heliograph.deps, account.id)).toBe(before);
  });

  it('is not handed to the next when an answer was lost: it may be on its way', async () => {
    first.script = fails('LOST', { retryable: true, answerLost: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'LOST');
    expect(takers(id)).toEqual([first.name]);
    expect(await row(id)).toMatchObject({ status: 'sending', maybeAccepted: true });
    first.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await allReach(heliograph.deps, account.id, 'sent');
  });

  it('is tried again later when none takes it, with the error of one that tried', async () => {
    first.goDown();
    second.script = fails('BUSY', { retryable: true });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode !== null);
    expect(await row(id)).toMatchObject({ status: 'sending', errorCode: 'BUSY', maybeAccepted: false });
    second.script = ({ id: taken }) => ({ carrierMessageId: taken });
    await allReach(heliograph.deps, account.id, 'sent');
    expect((await row(id)).attempts).toBeGreaterThan(1);
  });

  it('is not tried before the pause is over that its only carrier asks for', async () => {
    await heliograph.deps.prisma.route.updateMany({ data: { carriers: [first.name] } });
    await heliograph.deps.routing.reload();
    first.script = fails('PAIR_LIMIT', { retryable: true, notTried: true, pauseMs: 120_000 });
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'PAIR_LIMIT');
    const { rows } = await heliograph.deps.pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM not_before - now())::float AS seconds FROM messages WHERE id = $1',
      [id],
    );
    expect(rows[0]?.seconds).toBeGreaterThan(100);
  });

  it('counts a carrier that throws anything else as one whose answer was lost', async () => {
    first.script = () => {
      throw new TypeError('a bug');
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode !== null);
    expect(await row(id)).toMatchObject({ errorCode: 'CARRIER_FAILURE', maybeAccepted: true });
    expect(takers(id)).toEqual([first.name]);
  });
});
