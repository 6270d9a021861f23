import { describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { expectEffectWithin } from '../../../support/expect-effect-within.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const clock = new ManualClock();
const heliograph = suiteApp({ clock });

const account = async ({ headers }: TestChannel) => {
  const response = await heliograph.app.inject({ url: '/api/v1/account', headers });
  expect(response.statusCode).toBe(200);
  return response.json();
};

describe('Account (Surface B)', () => {
  it('shows every field of the contract, and the IDs for Meta’s surface', async () => {
    clock.set('2027-01-15T12:00:00.000Z');
    const channel = await createTestChannel(heliograph.deps);
    expect(await account(channel)).toEqual({
      success: true,
      data: {
        userId: channel.account.id,
        channel: {
          id: channel.channelId,
          name: 'Test channel',
          phoneNumber: channel.phoneNumber,
          isActive: true,
          healthStatus: 'healthy',
          graph: {
            phoneNumberId: expect.stringMatching(/^\d{15}$/),
            businessAccountId: expect.stringMatching(/^\d{15}$/),
          },
          messagingLimit: null,
          qualityRating: null,
          restrictions: [],
        },
        usage: {
          requestCount: 0,
          monthlyRequestCount: 0,
          monthlyResetAt: '2027-02-01T00:00:00.000Z',
          lastUsedAt: '2027-01-15T12:00:00.000Z',
        },
      },
    });
  });

  it("shows changes of the channel's state and health within two seconds", async () => {
    const channel = await createTestChannel(heliograph.deps);
    await account(channel);
    const data = { isActive: false, healthStatus: 'unhealthy' };
    await heliograph.deps.prisma.channel.update({ where: { id: channel.channelId }, data });
    await expectEffectWithin(2000, 'the change', async () => (await account(channel)).data.channel.isActive === false);
    expect((await account(channel)).data.channel).toMatchObject(data);
  });

  it('counts all requests, and those of the month', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const waitForCounts = (total: number, month: number) =>
      waitFor(`${total} requests`, async () => {
        const { rows } = await heliograph.deps.pool.query(
          'SELECT total::int, month_requests::int FROM usage_totals WHERE channel_id = $1',
          [channel.channelId],
        );
        return rows[0]?.total === total && rows[0].month_requests === month;
      });
    clock.set('2027-12-31T23:59:59.999Z');
    for (let count = 0; count < 3; count++) await account(channel);
    await waitForCounts(3, 3);
    const expectedUsage = (
      requestCount: number,
      monthlyRequestCount: number,
      monthlyResetAt: string,
      lastUsedAt: string,
    ) => ({
      requestCount,
      monthlyRequestCount,
      monthlyResetAt,
      lastUsedAt,
    });
    const lastMoment = '2027-12-31T23:59:59.999Z';
    const newYear = '2028-01-01T00:00:00.000Z';
    expect((await account(channel)).data.usage).toEqual(expectedUsage(3, 3, newYear, lastMoment));
    await waitForCounts(4, 4);

    clock.set('2028-01-01T00:00:00.000Z');
    expect((await account(channel)).data.usage).toEqual(expectedUsage(4, 0, '2028-02-01T00:00:00.000Z', newYear));
    await waitForCounts(5, 1);
    expect((await account(channel)).data.usage).toMatchObject({ requestCount: 5, monthlyRequestCount: 1 });
  });

  it('shows only the channel of the request, even if the key is bound to several', async () => {
    const firstChannel = await createTestChannel(heliograph.deps);
    const secondChannel = await createTestChannel(heliograph.deps, firstChannel.account);
    const data = { apiKeyId: firstChannel.keyId, channelId: secondChannel.channelId };
    await heliograph.deps.prisma.apiKeyChannel.create({ data });
    const bothChannels = {
      ...firstChannel,
      headers: { ...firstChannel.headers, 'x-channel-id': secondChannel.channelId },
    };
    expect((await account(bothChannels)).data.channel.id).toBe(secondChannel.channelId);
    expect((await account(firstChannel)).data.channel.id).toBe(firstChannel.channelId);
  });
});
