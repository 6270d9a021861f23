import { expect, it } from 'vitest';
import { describeFeature } from '../../support/backends.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { testApp } from '../../support/test-app.js';

const MEMBERS = 20_000;
const SENDERS = 4;

describeFeature(`a campaign of ${MEMBERS} members under way`, (backend) => {
  it('a large campaign lets other template messages of its channel be sent within a second (p99)', async () => {
    const test = await testApp({ backend });
    try {
      const channel = await createTestChannel(test.deps, undefined, { creditMicros: 1_000_000_000n });
      await createTemplate(test.deps, channel);
      const group = await createGroup(test.deps, channel, { size: MEMBERS });
      const { id } = await createCampaign(test, channel, { groupId: group.id });
      await waitForCampaign(test, channel, id, 'running');

      const latencies: number[] = [];
      let isUnderLoad = true;
      const send = async (sender: number) => {
        for (let round = 0; isUnderLoad; round += 1) {
          const startedAt = performance.now();
          const response = await test.app.inject({
            method: 'POST',
            url: '/api/v1/messages/template',
            headers: channel.headers,
            payload: { to: `49160${1_000_000 + sender * 10_000 + round}`, templateName: 'hello', language: 'en_US' },
          });
          const elapsed = performance.now() - startedAt;
          expect(response.json().data).toMatchObject({ status: 'sent' });
          // Reads the row directly, because the API would count 20,000 messages for each response.
          const campaign = await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id } });
          isUnderLoad = campaign.status === 'running';
          if (isUnderLoad) latencies.push(elapsed);
        }
      };
      await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));

      expect(latencies.length).toBeGreaterThan(100);
      latencies.sort((a, b) => a - b);
      expect(latencies[Math.floor(latencies.length * 0.99)]).toBeLessThan(1_000);
      const campaign = await waitForCampaign(test, channel, id, 'completed');
      expect(campaign.messageCount).toBe(MEMBERS);
    } finally {
      await test.close();
    }
  });
});
