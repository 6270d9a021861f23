import { beforeEach, describe, expect, it } from 'vitest';
import { decideOptOut, findOptedOut, setOptedOut } from '../../../src/features/opt-outs/opt-out-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '447700900123';
const at = (second: number, millisecond = 0) => new Date(Date.UTC(2026, 0, 1, 12, 0, second, millisecond));

describe('a STOP from a carrier that reports whole seconds', () => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
  });

  const enter = (isBlocked: boolean, when: Date) =>
    inTransaction(heliograph.deps.pool, (client) =>
      setOptedOut(client, isBlocked, { channelId: channel.channelId, addresses: [PHONE], at: when }),
    );
  const write = (keyword: 'STOP' | 'START', decidedAt: Date) =>
    inTransaction(heliograph.deps.pool, (client) =>
      decideOptOut(client, {
        ...{ accountId: channel.account.id, kind: 'whatsapp', sender: channel.channelId, addresses: [PHONE] },
        ...{ keyword, isActive: keyword === 'STOP', decidedAt },
      }),
    );
  const blocked = async () => (await findOptedOut(heliograph.deps.pool, channel.channelId, [PHONE])).length === 1;

  it('counts in the second in which an earlier opt-out was lifted, but not before', async () => {
    await write('STOP', at(1));
    await enter(false, at(2, 400));
    await write('STOP', at(1));
    expect(await blocked()).toBe(false);
    await write('STOP', at(2));
    expect(await blocked()).toBe(true);
    await write('START', at(2));
    expect(await blocked()).toBe(false);
  });

  it('with milliseconds is compared exactly', async () => {
    await write('STOP', at(1));
    await enter(false, at(2, 400));
    await write('STOP', at(2, 399));
    expect(await blocked()).toBe(false);
    await write('STOP', at(2, 401));
    expect(await blocked()).toBe(true);
  });

  it('is not lifted by a START from the second in which it was entered', async () => {
    await enter(true, at(2, 400));
    await write('START', at(2));
    expect(await blocked()).toBe(true);
    await write('START', at(3));
    expect(await blocked()).toBe(false);
  });
});
