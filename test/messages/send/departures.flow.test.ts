import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { listIds, sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** Data from the claim is trusted for one second. A message that waits longer is checked again. */
const CLAIM_COUNTS_MS = 1_000;

describe('a message that waits inside its carrier', () => {
  const type = createScriptedType();
  let aheadMs = 0;
  const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };
  const heliograph = suiteApp({ carrierTypes: [type], clock });

  /** The carrier holds messages until the test releases them; then it checks them as carriers do. */
  async function startWaiting(count: number, validitySeconds = 3_600) {
    const { deps } = heliograph;
    const name = `slow-${newId().slice(-8)}`;
    await addScriptedCarrier(deps, name);
    const account = await createTestAccount(deps);
    await deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: [name] } });
    await Promise.all([deps.carriers.reload(), deps.routing.reload()]);
    const carrier = type.opened.get(name) as ScriptedCarrier;
    const { promise, resolve: goOn } = withResolvers();
    const left: string[] = [];
    carrier.script = async ({ id, to, departure }) => {
      await promise;
      await departure?.check();
      left.push(to);
      return { carrierMessageId: id };
    };
    const before = await readBalance(deps, account.id);
    const to = Array.from({ length: count }, (_, index) => `1500555020${index}`);
    const ids = listIds(await deps.acceptor.accept({ ...sendRequest(account, { to, priority: 2 }), validitySeconds }));
    await waitFor('the carrier to have them', () => carrier.submitted.length === count);
    const since = performance.now();
    const old = () => waitFor('the claim to be old', () => performance.now() - since > CLAIM_COUNTS_MS);
    const row = (index: number) => deps.prisma.message.findUniqueOrThrow({ where: { id: ids[index] as string } });
    const ends = (index: number, status: string) =>
      waitFor(`message ${index} to be ${status}`, async () => (await row(index)).status === status && row(index));
    return { account, before, goOn, left, to, ids, old, ends, name };
  }

  const optOut = (accountId: string, phone: string) =>
    heliograph.deps.prisma.optOut.create({
      data: { accountId, kind: 'sms', sender: 'Heliograph', phone, decidedAt: new Date() },
    });
  const countRefunds = (accountId: string) =>
    heliograph.deps.prisma.ledgerEntry.count({ where: { accountId, kind: 'refund' } });

  it('a waiting message does not leave once its recipient has opted out, and is refunded once', async () => {
    const { account, before, goOn, left, to, old, ends } = await startWaiting(3);
    await optOut(account.id, to[1] as string);
    await old();
    goOn();
    const rejected = await ends(1, 'rejected');
    expect(rejected).toMatchObject({ errorCode: 'OPTED_OUT', refunded: true, maybeAccepted: false, attempts: 1 });
    await Promise.all([ends(0, 'sent'), ends(2, 'sent')]);
    expect(left.sort()).toEqual([to[0], to[2]]);
    const { priceMicros } = rejected;
    expect(await readBalance(heliograph.deps, account.id)).toBe(before - 2n * priceMicros);
    expect(await countRefunds(account.id)).toBe(1);
  });

  it('a waiting message does not leave once its validity has ended, however recent its claim', async () => {
    const { account, before, goOn, left, ends } = await startWaiting(2);
    aheadMs += 3_600_000;
    goOn();
    for (const index of [0, 1]) {
      expect(await ends(index, 'expired')).toMatchObject({ errorCode: 'EXPIRED', refunded: true, attempts: 1 });
    }
    expect(left).toEqual([]);
    expect(await readBalance(heliograph.deps, account.id)).toBe(before);
  });

  it('a waiting message does not leave once it was canceled', async () => {
    const { goOn, left, to, ids, old, ends } = await startWaiting(2);
    await heliograph.deps.pool.query('UPDATE messages SET cancel_reason = $2 WHERE id = $1', [ids[0], 'Stopped.']);
    await old();
    goOn();
    expect(await ends(0, 'canceled')).toMatchObject({
      errorCode: 'CANCELED',
      errorMessage: 'Stopped.',
      refunded: true,
    });
    await ends(1, 'sent');
    expect(left).toEqual([to[1]]);
  });

  it('a message withheld after an opt-out does not count as a carrier error and goes to no other carrier', async () => {
    const { account, goOn, to, old, ends, name } = await startWaiting(1);
    await optOut(account.id, to[0] as string);
    await old();
    goOn();
    await ends(0, 'rejected');
    expect(heliograph.deps.carriers.activity.collect(name)).toMatchObject({ inHand: 0, taken: 0, lastError: null });
  });
});
