import { beforeEach, describe, expect, it } from 'vitest';
import { decideOptOut, findOptedOut, setOptedOut } from '../../../src/features/opt-outs/opt-out-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '447700900123';
const toTime = (second: number, millisecond = 0) => new Date(Date.UTC(2026, 0, 1, 12, 0, second, millisecond));

describe('a STOP from a carrier that reports whole seconds', () => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
  });

  const enter = (isBlocked: boolean, time: Date) =>
    inTransaction(heliograph.deps.pool, (client) =>
      setOptedOut(client, isBlocked, { channelId: channel.channelId, addresses: [PHONE], at: time }),
    );
  const write = (keyword: 'STOP' | 'START', decidedAt: Date) =>
    inTransaction(heliograph.deps.pool, (client) =>
      decideOptOut(client, {
        ...{ accountId: channel.account.id, kind: 'whatsapp', sender: channel.channelId, addresses: [PHONE] },
        ...{ keyword, isActive: keyword === 'STOP', decidedAt },
      }),
    );
  const isBlockedNow = async () => (await findOptedOut(heliograph.deps.pool, channel.channelId, [PHONE])).length === 1;

  it('a STOP from a carrier that reports whole seconds counts in the second in which an earlier opt-out was lifted, but not before', async () => {
    await write('STOP', toTime(1));
    await enter(false, toTime(2, 400));
    await write('STOP', toTime(1));
    expect(await isBlockedNow()).toBe(false);
    await write('STOP', toTime(2));
    expect(await isBlockedNow()).toBe(true);
    await write('START', toTime(2));
    expect(await isBlockedNow()).toBe(false);
  });

  it('a STOP with a time in milliseconds is compared exactly', async () => {
    await write('STOP', toTime(1));
    await enter(false, toTime(2, 400));
    await write('STOP', toTime(2, 399));
    expect(await isBlockedNow()).toBe(false);
    await write('STOP', toTime(2, 401));
    expect(await isBlockedNow()).toBe(true);
  });

  it('a STOP from a carrier that reports whole seconds is not lifted by a START from the second in which it was entered', async () => {
    await enter(true, toTime(2, 400));
    await write('START', toTime(2));
    expect(await isBlockedNow()).toBe(true);
    await write('START', toTime(3));
    expect(await isBlockedNow()).toBe(false);
  });
});
