import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { countMessagesPerContact, createCampaign, readCampaign, waitForCampaign } from '../../support/campaigns.js';
import { createCampaignChannel, createGroup, createTemplate } from '../../support/channel-contents.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp, testSettings } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const RECIPIENTS = Number(process.env.TEST_RECIPIENTS ?? 900);
const PRICE = 10_000n;
const CREDIT = 100_000_000n;

/** Fault points before the end of the test. */
const TEST_KILLS = [
  ['campaign:gathering', 1],
  ['campaign:gathered', 1],
  ['campaign:taken', 2],
  ['campaign:before-commit', 2],
  ['campaign:committed', 1],
  ['send:claimed', 2],
] as const;

/** Fault points after the winner is chosen. */
const WINNER_KILLS = [
  ['campaign:taken', 2],
  ['campaign:before-commit', 2],
  ['campaign:committed', 1],
] as const;

describeFeature('a campaign with variants whose processes die', (backend) => {
  const api = suiteApp({ backend, role: 'api' });

  it('each recipient gets one variant and is charged once, although a process dies at every step', async () => {
    const channel = await createCampaignChannel(api.deps);
    await createTemplate(api.deps, channel, { name: 'second' });
    const groups = [
      await createGroup(api.deps, channel, { size: Math.ceil(RECIPIENTS / 2) }),
      await createGroup(api.deps, channel, { size: Math.floor(RECIPIENTS / 2) }),
    ] as const;
    const contactIds = groups.flatMap((group) => group.contactIds);
    const { id } = await createCampaign(api, channel, {
      groupIds: groups.map((group) => group.id),
      variants: [{ templateName: 'second', language: 'en_US', share: 50 }],
      test: { share: 50, criterion: 'delivered', minutes: 1 },
    });
    const settings = {
      ...testSettings(backend),
      DATABASE_URL: api.databaseUrl,
      QUEUE_PREFIX: api.queuePrefix,
      LOG_LEVEL: 'error',
    };
    const killServerAfter = async (share: number) => {
      const server = await startServerProcess({ settings });
      await waitFor(`${share} of the messages to be committed`, async () => {
        const { messageCount } = await readCampaign(api, channel, id);
        return messageCount >= share * contactIds.length;
      });
      await server.stop('SIGKILL');
      await expireLeases(api);
    };
    const killAtEach = async (kills: readonly (readonly [point: string, times: number])[]) => {
      for (const [point, times] of kills) {
        await killWorkerAt(api, point, times);
        await expireLeases(api);
      }
    };

    await killAtEach(TEST_KILLS);
    await killServerAfter(0.4);
    const worker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitFor('the end of the test to be set', async () => {
        const { testEndsAt } = await api.deps.prisma.campaign.findUniqueOrThrow({ where: { id } });
        return testEndsAt !== null;
      });
    } finally {
      await worker.close();
    }
    const tested = await readAssignments(id);
    await api.deps.prisma.campaign.update({ where: { id }, data: { testEndsAt: new Date(0) } });
    await killAtEach(WINNER_KILLS);
    await killServerAfter(0.9);
    const lastWorker = await testApp({ role: 'worker', sharesWith: api });
    try {
      const campaign = await waitForCampaign(api, channel, id, 'completed');
      expect(campaign.messageCount).toBe(contactIds.length);
      expect(await countMessagesPerContact(api.deps, id)).toEqual(
        new Map(contactIds.map((contactId) => [contactId, 1])),
      );
      expect(await waitForAllMessages(api.deps, channel.account.id, 'delivered')).toBe(contactIds.length);
      expect(await readBalance(api.deps, channel.account.id)).toBe(CREDIT - BigInt(contactIds.length) * PRICE);
    } finally {
      await lastWorker.close();
    }
    const { winner } = await api.deps.prisma.campaign.findUniqueOrThrow({ where: { id } });
    const assignments = await readAssignments(id);
    for (const [contactId, variant] of assignments) expect(variant).toBe(tested.get(contactId) ?? winner);
    expect(tested.size).toBeGreaterThan(0);
    expect(tested.size).toBeLessThan(contactIds.length);
  });

  /** Variants of the campaign's messages by contact ID. */
  const readAssignments = async (campaignId: string) => {
    const messages = await api.deps.prisma.message.findMany({
      where: { campaignId },
      select: { contactId: true, campaignVariant: true },
    });
    return new Map(messages.map(({ contactId, campaignVariant }) => [contactId, campaignVariant]));
  };
});
