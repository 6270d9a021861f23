import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import {
  countMessagesPerContact,
  createCampaign,
  readCampaign,
  startCampaign,
  waitForCampaign,
} from '../../support/campaigns.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp, testSettings } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;

describeFeature('a campaign whose runner dies', (backend) => {
  const api = suiteApp({ backend, role: 'api' });
  let channel: TestChannel;

  const startOnChannel = async (size: number, kind?: 'sms') => {
    const campaign = await startCampaign(api, size, kind);
    channel = campaign.channel;
    return campaign;
  };
  const expectOneEach = async (id: string, contactIds: readonly string[]) => {
    const campaign = await waitForCampaign(api, channel, id, 'completed');
    expect(campaign.messageCount).toBe(contactIds.length);
    expect(await countMessagesPerContact(api.deps, id)).toEqual(new Map(contactIds.map((contactId) => [contactId, 1])));
    expect(await waitForAllMessages(api.deps, channel.account.id, 'delivered')).toBe(contactIds.length);
    expect(await readBalance(api.deps, channel.account.id)).toBe(CREDIT - BigInt(contactIds.length) * PRICE);
  };

  it.each([
    ['campaign:taken', 3],
    ['campaign:before-commit', 2],
    ['campaign:committed', 1],
    ['send:claimed', 2],
  ])(
    'a campaign whose runner dies at %s, pass %i, sends each member one message and charges it once',
    async (point, times) => {
      const { id, contactIds } = await startOnChannel(1_200);
      await killWorkerAt(api, point, times);
      await expireLeases(api);
      const otherWorker = await testApp({ role: 'worker', sharesWith: api });
      try {
        await expectOneEach(id, contactIds);
      } finally {
        await otherWorker.close();
      }
    },
  );

  it.each([
    ['campaign:gathering', 1],
    ['campaign:gathered', 1],
    ['campaign:before-commit', 1],
    ['campaign:committed', 1],
  ])(
    'a campaign to groups, an audience and a list whose runner dies at %s, pass %i, sends each recipient one message and charges it once',
    async (point, times) => {
      channel = await createCampaignChannel(api.deps);
      const groups = [
        await createGroup(api.deps, channel, { size: 300 }),
        await createGroup(api.deps, channel, { size: 300 }),
      ] as const;
      const { contactIds } = await createGroup(api.deps, channel, { size: 100 });
      const condition = { field: 'country', operator: 'is', value: 'DE' };
      const audience = await api.app.inject({
        method: 'POST',
        url: '/api/v1/audiences',
        headers: channel.headers,
        payload: { name: 'Germany', condition },
      });
      const { id } = await createCampaign(api, channel, {
        groupIds: groups.map((group) => group.id),
        audienceIds: [audience.json().data.id],
        recipients: ['491511234567'],
      });
      await killWorkerAt(api, point, times);
      await expireLeases(api);
      const otherWorker = await testApp({ role: 'worker', sharesWith: api });
      const listed = await api.deps.prisma.contact.findFirstOrThrow({
        where: { channelId: channel.channelId, phone: '491511234567' },
      });
      try {
        await expectOneEach(id, [...groups.flatMap((group) => group.contactIds), ...contactIds, listed.id]);
      } finally {
        await otherWorker.close();
      }
    },
  );

  it('an SMS campaign whose runner dies sends each member one message and charges it once', async () => {
    const { id, contactIds } = await startOnChannel(500, 'sms');
    await killWorkerAt(api, 'campaign:committed', 2);
    await expireLeases(api);
    const otherWorker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await expectOneEach(id, contactIds);
      const { rows } = await api.deps.pool.query('SELECT DISTINCT kind, body FROM messages WHERE campaign_id = $1', [
        id,
      ]);
      expect(rows).toEqual([{ kind: 'sms', body: 'Spring sale\nReply STOP to opt out.' }]);
    } finally {
      await otherWorker.close();
    }
  });

  it('a campaign survives repeated kills of the whole server', async () => {
    const { id, contactIds } = await startOnChannel(4_000);
    const settings = {
      ...testSettings(backend),
      DATABASE_URL: api.databaseUrl,
      QUEUE_PREFIX: api.queuePrefix,
      LOG_LEVEL: 'error',
    };
    let reachedCount = 0;
    for (const share of [0.2, 0.5, 0.8]) {
      const server = await startServerProcess({ settings });
      await waitFor(`${share} of the messages to be committed`, async () => {
        reachedCount = (await readCampaign(api, channel, id)).messageCount;
        return reachedCount >= share * contactIds.length;
      });
      await server.stop('SIGKILL');
      await expireLeases(api);
    }
    const server = await startServerProcess({ settings });
    try {
      await expectOneEach(id, contactIds);
    } finally {
      await server.stop();
    }
  });
});

describeFeature('two runners of one campaign', (backend) => {
  it('two runners of one campaign never send a member two messages, even when one runner outlives its turn', async () => {
    const faults = new ControlledFaults();
    const slowServer = await testApp({ backend, faults });
    let fastServer: TestApp | undefined;
    try {
      const hold = faults.hold('campaign:taken');
      const { id, channel, contactIds } = await startCampaign(slowServer, 1_200);
      await hold.reached;
      // The slow runner does not learn that its turn has expired.
      await expireLeases(slowServer);
      fastServer = await testApp({ sharesWith: slowServer });
      await waitFor('the other to begin', async () => (await readCampaign(slowServer, channel, id)).messageCount > 0);
      hold.release();
      await waitForCampaign(slowServer, channel, id, 'completed');
      expect(await countMessagesPerContact(slowServer.deps, id)).toEqual(
        new Map(contactIds.map((contactId) => [contactId, 1])),
      );
      expect(await readBalance(slowServer.deps, channel.account.id)).toBe(CREDIT - 1_200n * PRICE);
    } finally {
      await fastServer?.close();
      await slowServer.close();
    }
  });
});
