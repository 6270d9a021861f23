import { describe, expect, it } from 'vitest';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../src/carriers/failure-codes.js';
import { changeChannel, resumeChannel } from '../../../src/features/channels/channels.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { readBalance } from '../../support/accounts.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const LOCKED = { health: 'account_restricted', code: '131031', reason: 'The account is locked.' };

describe('messages of a paused channel', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });

  async function setUpChannel(): Promise<{ channel: TestChannel; carrier: ScriptedCarrier }> {
    const name = `meta-${newId().slice(-8)}`;
    await addScriptedCarrier(heliograph.deps, name);
    await heliograph.deps.carriers.reload();
    const carrierSettings = { phoneNumberId: newId().replace(/\D/g, '') };
    const options = { carrier: name, carrierSettings, carrierTypes: [type] };
    const channel = await createTestChannel(heliograph.deps, undefined, options);
    return { channel, carrier: type.opened.get(name) as ScriptedCarrier };
  }

  const refuseAndPause = (carrier: ScriptedCarrier) => async () => {
    const { id } = await heliograph.deps.prisma.channel.findFirstOrThrow({ where: { carrier: carrier.name } });
    await carrier.sinks?.pause(id, { ...LOCKED, at: new Date() });
    throw CarrierError.refused(vendorCode(LOCKED.code), LOCKED.reason, { retryable: true }).with({
      channelPaused: true,
    });
  };

  const send = async ({ account, phoneNumber }: TestChannel, payload: object = {}): Promise<string> => {
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: account.headers,
      payload: { to: '15005550100', from: phoneNumber, channel: 'whatsapp', message: 'Hi', ...payload },
    });
    return response.json().data[0].message_id;
  };
  const readRow = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const findParked = (id: string) =>
    waitFor('the message to be put aside', async () => {
      const row = await readRow(id);
      return row.status === 'sending' && row.notBefore !== null && row.leaseUntil === null && row;
    });
  const waitForStatus = (id: string, status: string) =>
    waitFor(`the message to be ${status}`, async () => (await readRow(id)).status === status && readRow(id));

  it('messages of a paused channel wait without calling the carrier, and are sent once an operator resumes it', async () => {
    const { channel, carrier } = await setUpChannel();
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    carrier.script = refuseAndPause(carrier);
    const firstId = await send(channel);
    await findParked(firstId);
    carrier.script = ({ id }) => ({ carrierMessageId: id });
    const secondId = await send(channel);
    for (const id of [firstId, secondId]) {
      const row = await findParked(id);
      expect(row).toMatchObject({ attempts: 1, errorCode: '131031', errorMessage: LOCKED.reason, refunded: false });
      expect((row.notBefore as Date).getTime() - Date.now()).toBeGreaterThan(55 * 60_000);
      expect(row.nextLook).toEqual(row.notBefore);
    }
    expect(carrier.submitted.map(({ id }) => id)).toEqual([firstId]);
    const { prisma, pool } = heliograph.deps;
    expect(await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).toMatchObject({
      healthStatus: 'account_restricted',
      pauseCode: '131031',
    });
    expect(await resumeChannel(prisma, pool, channel.channelId, systemClock.now())).toEqual({ wasPaused: true });
    for (const id of [firstId, secondId])
      expect(await waitForStatus(id, 'sent')).toMatchObject({ attempts: 2, errorCode: null });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore - 20_000n);
  });

  it('messages of a paused channel expire at the end of their validity and are refunded', async () => {
    const { channel, carrier } = await setUpChannel();
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    carrier.script = refuseAndPause(carrier);
    const id = await send(channel);
    await findParked(id);
    await heliograph.deps.pool.query(
      'UPDATE messages SET valid_until = now(), not_before = now(), next_look = now() WHERE id = $1',
      [id],
    );
    expect(await waitForStatus(id, 'expired')).toMatchObject({ attempts: 2, errorCode: 'EXPIRED', refunded: true });
    expect(carrier.submitted).toHaveLength(1);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('messages are not left behind if the channel is resumed while they are set aside', async () => {
    const { channel, carrier } = await setUpChannel();
    let wasRefused = false;
    carrier.script = ({ id }) => {
      if (wasRefused) return { carrierMessageId: id };
      wasRefused = true;
      // The pause ends before the message is set aside, so the message must not wait for a later resumption.
      throw CarrierError.refused(vendorCode(LOCKED.code), LOCKED.reason, { retryable: true }).with({
        channelPaused: true,
      });
    };
    expect(await waitForStatus(await send(channel), 'sent')).toMatchObject({ attempts: 2 });
  });

  it('messages are sent once the channel is changed, and a late refusal does not pause it again', async () => {
    const { channel, carrier } = await setUpChannel();
    carrier.script = refuseAndPause(carrier);
    const id = await send(channel);
    await findParked(id);
    const { prisma, pool } = heliograph.deps;
    carrier.script = () => ({ carrierMessageId: id });
    const change = { set: { phoneNumberId: '4242' }, unset: [], at: systemClock.now() };
    await changeChannel(prisma, pool, channel.channelId, change, [type]);
    const resumedChannel = await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
    expect(resumedChannel).toMatchObject({ healthStatus: 'healthy', pausedAt: null });
    const beforeResume = new Date((resumedChannel.resumedAt as Date).getTime() - 1);
    await carrier.sinks?.pause(channel.channelId, { ...LOCKED, at: beforeResume });
    expect(await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).toEqual(resumedChannel);
    await waitForStatus(id, 'sent');
  });
});
