import { beforeEach, describe, expect, it } from 'vitest';
import { setStopScope } from '../../../src/accounts/account-settings.js';
import { recordPreference } from '../../../src/features/contacts/identity/record-preference.js';
import { setOptOutByOperator } from '../../../src/features/opt-outs/by-operator.js';
import { joinOptOuts } from '../../../src/features/opt-outs/opt-out-store.js';
import { inSharedTransaction } from '../../../src/platform/store/transaction.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { turnRepliesOn } from '../../support/keyword-replies.js';
import { waitForStatus } from '../../support/messages.js';
import { sharedApp } from '../../support/suite.js';
import { sendV2 } from '../../surfaces/a/requests.js';

const PHONE = '15005550111';
const OTHER_PHONE = '15005550113';

describe('opt-outs from marketing only', () => {
  const heliograph = sharedApp();
  let sms: TestChannel;
  let whatsapp: TestChannel;

  beforeEach(async () => {
    sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    whatsapp = await createTestChannel(heliograph.deps, sms.account);
  });

  const chooseMarketing = () => setStopScope(heliograph.deps.prisma, sms.account.id, 'marketing');
  const receive = (text: string, channel = sms) => playInbound(heliograph, channel, { from: PHONE, text });
  const listOptOuts = async () => {
    const rows = await heliograph.deps.prisma.optOut.findMany({
      where: { accountId: sms.account.id },
      orderBy: { phone: 'asc' },
    });
    return rows.map(({ isActive, marketingOnly }) => ({ isActive, marketingOnly }));
  };
  const MARKETING = { isActive: true, marketingOnly: true };
  const ALL = { isActive: true, marketingOnly: false };
  const setByOperator = (isActive: boolean) =>
    inSharedTransaction(heliograph.deps.prisma, (transaction) =>
      setOptOutByOperator(transaction, isActive, {
        ...{ accountId: sms.account.id, kind: 'sms', sender: sms.phoneNumber, phone: PHONE },
        at: new Date(),
      }),
    );
  async function send(channel: 'sms' | 'whatsapp', purpose: string): Promise<string> {
    const from = channel === 'sms' ? sms.phoneNumber : whatsapp.phoneNumber;
    const body = { to: PHONE, from, channel, message: 'Hello', purpose };
    const response = await sendV2(heliograph.app, sms.account, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data[0].message_id;
  }
  async function expectBlocked(id: string) {
    await waitForStatus(heliograph, [id], 'rejected');
    const message = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(message).toMatchObject({ errorCode: 'OPTED_OUT', refunded: true });
  }

  it('a STOP blocks marketing and no other messages if the account has chosen so, until START', async () => {
    await chooseMarketing();
    await turnRepliesOn(heliograph, sms);
    await receive('STOP');
    expect(await listOptOuts()).toEqual([MARKETING]);
    const reply = await heliograph.deps.prisma.message.findFirstOrThrow({ where: { channelId: sms.channelId } });
    expect(reply.body).toContain('no more marketing messages');
    await expectBlocked(await send('sms', 'marketing'));
    await waitForStatus(heliograph, [await send('sms', 'transactional')], 'delivered');
    await receive('START');
    expect(await listOptOuts()).toEqual([{ isActive: false, marketingOnly: false }]);
    await waitForStatus(heliograph, [await send('sms', 'marketing')], 'delivered');
  });

  it('an opt-out from all messages stays one after the account has chosen marketing only', async () => {
    await receive('STOP');
    await chooseMarketing();
    await receive('STOP');
    expect(await listOptOuts()).toEqual([ALL]);
    await expectBlocked(await send('sms', 'transactional'));
  });

  it('an operator can extend an opt-out from marketing to all messages', async () => {
    await chooseMarketing();
    await receive('STOP');
    expect(await setByOperator(true)).toBe(true);
    expect(await setByOperator(true)).toBe(false);
    expect(await listOptOuts()).toEqual([ALL]);
    expect(await setByOperator(false)).toBe(true);
    await receive('STOP');
    expect(await listOptOuts()).toEqual([MARKETING]);
  });

  it('a choice in WhatsApp blocks marketing only, and does not weaken a STOP', async () => {
    const channel = {
      id: whatsapp.channelId,
      accountId: sms.account.id,
      kind: 'whatsapp',
      phoneNumber: whatsapp.phoneNumber,
    } as const;
    const report = { channel, wantsNone: true, category: 'marketing_messages', phone: PHONE, userId: null };
    const stopMarketing = () => recordPreference(heliograph.deps, { ...report, parentUserId: null, at: new Date() });
    await stopMarketing();
    expect(await listOptOuts()).toEqual([MARKETING]);
    await expectBlocked(await send('whatsapp', 'marketing'));
    await waitForStatus(heliograph, [await send('whatsapp', 'transactional')], 'delivered');
    await receive('STOP', whatsapp);
    await stopMarketing();
    expect(await listOptOuts()).toEqual([ALL]);
  });

  it('addresses of one person get the strictest opt-out', async () => {
    const { prisma, pool } = heliograph.deps;
    const key = { accountId: sms.account.id, kind: 'whatsapp', sender: whatsapp.channelId } as const;
    await prisma.optOut.createMany({
      data: [
        { ...key, phone: PHONE, decidedAt: new Date(1_000) },
        { ...key, phone: OTHER_PHONE, marketingOnly: true, decidedAt: new Date(2_000) },
      ],
    });
    const client = await pool.connect();
    await joinOptOuts(client, whatsapp.channelId, [PHONE, OTHER_PHONE]).finally(() => client.release());
    expect(await listOptOuts()).toEqual([ALL, ALL]);
  });
});
