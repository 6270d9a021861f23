import { describe, expect, it } from 'vitest';
import type { CarrierConnection } from '../../../src/carriers/carrier.js';
import { changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { findReports, type StoredReport } from '../../../src/carriers/setup/status-store.js';
import { countQueuedByCarrier } from '../../../src/messages/queue/queued-by-carrier-store.js';
import { newId } from '../../../src/platform/ids.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { createAccountOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

describe('carrier reports of a process', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  const findReportsOn = async (name: string) =>
    (await findReports(heliograph.deps.prisma)).filter(({ carrier }) => carrier === name);
  const waitForReport = (name: string, matches: (report: StoredReport) => boolean) =>
    waitFor(`the report on ${name}`, async () => (await findReportsOn(name)).find(matches));

  async function addNewCarrier(): Promise<ScriptedCarrier> {
    const name = `reported-${newId().slice(-8)}`;
    await addScriptedCarrier(heliograph.deps, name);
    await heliograph.deps.carriers.reload();
    return type.opened.get(name) as ScriptedCarrier;
  }

  it('carrier reports follow state and connections of a carrier, and determine the health of its channels', async () => {
    const carrier = await addNewCarrier();
    const { prisma } = heliograph.deps;
    const settings = { carrierSettings: { phoneNumberId: newId().replace(/\D/g, '') }, carrierTypes: [type] };
    const channel = await createTestChannel(heliograph.deps, undefined, { carrier: carrier.name, ...settings });
    const readHealth = async () =>
      (await call(heliograph, channel, 'GET', '/account')).json().data.channel.healthStatus;
    const upReport = await waitForReport(carrier.name, ({ state }) => state === 'up');
    expect(upReport).toMatchObject({ pid: process.pid, reason: null, connections: [], isFresh: true, lastError: null });
    expect(await readHealth()).toBe('healthy');

    const downSince = new Date();
    const lostConnection = {
      name: 'transceiver 1',
      isUp: false,
      sends: true,
      since: downSince,
      lastError: 'ECONNREFUSED',
      lastErrorAt: downSince,
    };
    Object.assign(carrier, { connections: (): CarrierConnection[] => [lostConnection] });
    carrier.goDown();
    const downReport = await waitForReport(carrier.name, ({ state }) => state === 'down');
    expect(downReport).toMatchObject({
      reason: 'taken down by the test',
      connections: [JSON.parse(JSON.stringify(lostConnection))],
    });
    expect(downReport.since.getTime()).toBeGreaterThanOrEqual(downSince.getTime());
    expect(await readHealth()).toBe('carrier_down');

    Object.assign(carrier, { connections: (): CarrierConnection[] => [{ ...lostConnection, isUp: true }] });
    await waitForReport(carrier.name, ({ state }) => state === 'limited');
    expect(await readHealth()).toBe('healthy');

    await changeCarrier(prisma, carrier.name, { set: {}, unset: [], isActive: false }, [type]);
    await heliograph.deps.carriers.reload();
    await waitFor('no report', async () => (await findReportsOn(carrier.name)).length === 0);
    expect(await readHealth()).toBe('carrier_off');
  });

  it('carrier reports contain the last error and the number of waiting messages', async () => {
    const { account, first, second } = await createAccountOnTwoCarriers(heliograph, type);
    for (const carrier of [first, second]) carrier.goDown();
    await accept(heliograph.deps, account, { to: ['15005550100', '15005550101'] });
    const { lastError } = await waitForReport(first.name, ({ lastError: error }) => error !== null);
    expect(lastError).toBe('DOWN: The carrier is down.');
    expect((await countQueuedByCarrier(heliograph.deps.prisma)).get(first.name)).toBe(2);
  });

  it('carrier reports are separate for each process, and are deleted when the process ends', async () => {
    const carrier = await addNewCarrier();
    const otherServer = await testApp({ sharesWith: heliograph, carrierTypes: [type] });
    await waitFor('both reports', async () => (await findReportsOn(carrier.name)).length === 2);
    await otherServer.close();
    expect(await findReportsOn(carrier.name)).toHaveLength(1);
  });
});
