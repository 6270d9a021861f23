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

/** A worker trusts the data of a claim for one second. A message that waits longer inside its carrier is checked again. */
const CLAIM_COUNTS_MS = 1_000;

describe('a message that waits inside its carrier', () => {
  const type = createScriptedType();
  let aheadMs = 0;
  const clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };
  const heliograph = suiteApp({ carrierTypes: [type], clock });

  /**
   * Sends messages to a carrier that holds them until the test releases them, and that then checks them like other carriers.
   */
  async function startWaiting(count: number, validitySeconds = 3_600) {
    const { deps } = heliograph;
    const name = `slow-${newId().slice(-8)}`;
    await addScriptedCarrier(deps, name);
    const account = await createTestAccount(deps);
    await deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: [name] } });
    await Promise.all([deps.carriers.reload(), deps.routing.reload()]);
    const carrier = type.opened.get(name) as ScriptedCarrier;
    const { promise, resolve: releaseCarrier } = withResolvers();
    const departed: string[] = [];
    carrier.script = async ({ id, to, departure }) => {
      await promise;
      await departure?.check();
      departed.push(to);
      return { carrierMessageId: id };
    };
    const balanceBefore = await readBalance(deps, account.id);
    const to = Array.from({ length: count }, (_, index) => `1500555020${index}`);
    const ids = listIds(await deps.acceptor.accept({ ...sendRequest(account, { to, priority: 2 }), validitySeconds }));
    await waitFor('the carrier to have them', () => carrier.submitted.length === count);
    const startedAt = performance.now();
    const waitUntilOld = () => waitFor('the claim to be old', () => performance.now() - startedAt > CLAIM_COUNTS_MS);
    const findMessage = (index: number) =>
      deps.prisma.message.findUniqueOrThrow({ where: { id: ids[index] as string } });
    const waitForEnd = (index: number, status: string) =>
      waitFor(
        `message ${index} to be ${status}`,
        async () => (await findMessage(index)).status === status && findMessage(index),
      );
    return { account, balanceBefore, releaseCarrier, departed, to, ids, waitUntilOld, waitForEnd, name };
  }

  const addOptOut = (accountId: string, phone: string) =>
    heliograph.deps.prisma.optOut.create({
      data: { accountId, kind: 'sms', sender: 'Heliograph', phone, decidedAt: new Date() },
    });
  const countRefunds = (accountId: string) =>
    heliograph.deps.prisma.ledgerEntry.count({ where: { accountId, kind: 'refund' } });

  it('a waiting message does not leave once its recipient has opted out, and is refunded once', async () => {
    const { account, balanceBefore, releaseCarrier, departed, to, waitUntilOld, waitForEnd } = await startWaiting(3);
    await addOptOut(account.id, to[1] as string);
    await waitUntilOld();
    releaseCarrier();
    const rejected = await waitForEnd(1, 'rejected');
    expect(rejected).toMatchObject({ errorCode: 'OPTED_OUT', refunded: true, maybeAccepted: false, attempts: 1 });
    await Promise.all([waitForEnd(0, 'sent'), waitForEnd(2, 'sent')]);
    expect(departed.sort()).toEqual([to[0], to[2]]);
    const { priceMicros } = rejected;
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore - 2n * priceMicros);
    expect(await countRefunds(account.id)).toBe(1);
  });

  it('a waiting message does not leave once its validity has ended, however recent its claim', async () => {
    const { account, balanceBefore, releaseCarrier, departed, waitForEnd } = await startWaiting(2);
    aheadMs += 3_600_000;
    releaseCarrier();
    for (const index of [0, 1]) {
      expect(await waitForEnd(index, 'expired')).toMatchObject({ errorCode: 'EXPIRED', refunded: true, attempts: 1 });
    }
    expect(departed).toEqual([]);
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
  });

  it('a waiting message does not leave once it was canceled', async () => {
    const { releaseCarrier, departed, to, ids, waitUntilOld, waitForEnd } = await startWaiting(2);
    await heliograph.deps.pool.query('UPDATE messages SET cancel_reason = $2 WHERE id = $1', [ids[0], 'Stopped.']);
    await waitUntilOld();
    releaseCarrier();
    expect(await waitForEnd(0, 'canceled')).toMatchObject({
      errorCode: 'CANCELED',
      errorMessage: 'Stopped.',
      refunded: true,
    });
    await waitForEnd(1, 'sent');
    expect(departed).toEqual([to[1]]);
  });

  it('a message withheld after an opt-out does not count as a carrier error and goes to no other carrier', async () => {
    const { account, releaseCarrier, to, waitUntilOld, waitForEnd, name } = await startWaiting(1);
    await addOptOut(account.id, to[0] as string);
    await waitUntilOld();
    releaseCarrier();
    await waitForEnd(0, 'rejected');
    expect(heliograph.deps.carriers.activity.collect(name)).toMatchObject({
      inHand: 0,
      acceptedCount: 0,
      lastError: null,
    });
  });
});
