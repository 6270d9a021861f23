import { beforeEach, describe, expect, it } from 'vitest';
import { decideOptOut, findOptedOut, joinOptOuts } from '../../../src/features/opt-outs/opt-out-store.js';
import { addOptOut, listOptOuts, removeOptOut } from '../../../src/features/opt-outs/opt-outs.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '447700900123';
const now = new Date('2026-01-01T12:00:00.000Z');

describe.each(['sms', 'whatsapp'] as const)('a person who opted out of two %s senders of an account', (kind) => {
  const heliograph = sharedApp({ role: 'api' });
  let channels: [TestChannel, TestChannel];

  beforeEach(async () => {
    const account = await createTestAccount(heliograph.deps);
    const createChannel = () => createTestChannel(heliograph.deps, account, { kind });
    channels = [await createChannel(), await createChannel()];
  });
  const createRef = ({ account, phoneNumber }: TestChannel, phone = PHONE) => ({
    ...{ accountId: account.id, kind, sender: phoneNumber, phone, at: now },
  });
  const isBlocked = async ({ channelId }: TestChannel, phone = PHONE) =>
    (await findOptedOut(heliograph.deps.pool, channelId, [phone])).length === 1;

  it('a person stays opted out of the second sender after the first opt-out is removed', async () => {
    const [first, second] = channels;
    for (const channel of channels) expect(await addOptOut(heliograph.deps.prisma, createRef(channel))).toBe(true);
    await removeOptOut(heliograph.deps.prisma, createRef(first));
    expect([await isBlocked(first), await isBlocked(second)]).toEqual([false, true]);
    expect(await listOptOuts(heliograph.deps.prisma, first.account.id)).toMatchObject([{ sender: second.phoneNumber }]);
  });

  it('a person is opted out again of the named sender only', async () => {
    const [first, second] = channels;
    for (const channel of channels) {
      await addOptOut(heliograph.deps.prisma, createRef(channel));
      await removeOptOut(heliograph.deps.prisma, createRef(channel));
    }
    expect(await addOptOut(heliograph.deps.prisma, createRef(first))).toBe(true);
    expect([await isBlocked(first), await isBlocked(second)]).toEqual([true, false]);
  });

  it('opt-outs of other people stay when one is removed', async () => {
    const [first] = channels;
    const otherPhone = '447700900124';
    await addOptOut(heliograph.deps.prisma, createRef(first));
    await addOptOut(heliograph.deps.prisma, createRef(first, otherPhone));
    await removeOptOut(heliograph.deps.prisma, createRef(first));
    expect([await isBlocked(first), await isBlocked(first, otherPhone)]).toEqual([false, true]);
    await expect(removeOptOut(heliograph.deps.prisma, createRef(first))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('opt-outs of another account with the same numbers stay', async () => {
    const [first] = channels;
    const foreignChannel = await createTestChannel(heliograph.deps, undefined, { kind });
    await heliograph.deps.prisma.channel.update({
      where: { id: foreignChannel.channelId },
      data: { phoneNumber: first.phoneNumber },
    });
    const channelWithSameNumber = { ...foreignChannel, phoneNumber: first.phoneNumber };
    for (const channel of [first, channelWithSameNumber]) await addOptOut(heliograph.deps.prisma, createRef(channel));
    await removeOptOut(heliograph.deps.prisma, createRef(first));
    expect([await isBlocked(first), await isBlocked(channelWithSameNumber)]).toEqual([false, true]);
  });
});

describe('an opt-out of one of two addresses that turn out to be one person', () => {
  const heliograph = sharedApp({ role: 'api' });
  const USER_ID = 'GB.1234567890';
  const addSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

  it('an opt-out of one of two merged addresses is not lifted by a START older than the latest decision of either address', async () => {
    const { pool } = heliograph.deps;
    const { account, channelId } = await createTestChannel(heliograph.deps);
    const write = (keyword: 'STOP' | 'START', address: string, decidedAt: Date) =>
      inTransaction(pool, (client) =>
        decideOptOut(client, {
          ...{ accountId: account.id, kind: 'whatsapp', sender: channelId, addresses: [address] },
          ...{ keyword, isActive: keyword === 'STOP', decidedAt },
        }),
      );
    const listBlocked = async () => (await findOptedOut(pool, channelId, [PHONE, USER_ID])).sort();
    await write('STOP', PHONE, addSeconds(1));
    await write('START', USER_ID, addSeconds(3));
    await inTransaction(pool, (client) => joinOptOuts(client, channelId, [PHONE, USER_ID]));
    expect(await listBlocked()).toEqual([PHONE, USER_ID]);
    await write('START', USER_ID, addSeconds(2));
    expect(await listBlocked()).toEqual([PHONE, USER_ID]);
    await write('START', USER_ID, addSeconds(4));
    expect(await listBlocked()).toEqual([PHONE]);
  });

  it('an opt-out of one of two merged addresses is not renewed for a person who had opted in again', async () => {
    const { pool } = heliograph.deps;
    const { account, channelId } = await createTestChannel(heliograph.deps);
    const write = (keyword: 'STOP' | 'START', decidedAt: Date) =>
      inTransaction(pool, (client) =>
        decideOptOut(client, {
          ...{ accountId: account.id, kind: 'whatsapp', sender: channelId, addresses: [PHONE] },
          ...{ keyword, isActive: keyword === 'STOP', decidedAt },
        }),
      );
    await write('STOP', addSeconds(1));
    await write('START', addSeconds(2));
    await inTransaction(pool, (client) => joinOptOuts(client, channelId, [PHONE, USER_ID]));
    expect(await findOptedOut(pool, channelId, [PHONE, USER_ID])).toEqual([]);
  });
});
