import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import {
  createAutomation,
  createCompletionWebhook,
  listBodiesTo,
  listRuns,
  receiveText,
  waitForRun,
} from '../../support/automations.js';
import { describeFeature } from '../../support/backends.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const PHONE = '4915112345678';

describeFeature('an automation whose runner dies', (backend) => {
  const api = suiteApp({ backend, role: 'api' });

  it.each([
    ['automation:claimed', 1],
    ['automation:before-commit', 3],
    ['automation:before-commit', 4],
    ['automation:committed', 1],
    ['automation:committed', 3],
  ])(
    'an automation whose runner dies at %s, pass %i, performs each step once and reports its end once',
    async (point, times) => {
      const { prisma } = api.deps;
      const channel = await createTestChannel(api.deps);
      const webhook = await createCompletionWebhook(api.deps, channel);
      const group = await createGroup(api.deps, channel, { size: 0 });
      const id = await createAutomation(
        api,
        channel,
        [
          { type: 'send_reply', message: 'One' },
          { type: 'add_to_group', groupId: group.id },
          { type: 'send_reply', message: 'Two' },
          { type: 'send_reply', message: 'Three' },
        ],
        { keyword: 'start' },
      );
      await receiveText(api.deps, channel, PHONE, 'start');

      await killWorkerAt(api, point, times);
      await expireLeases(api);
      const otherWorker = await testApp({ role: 'worker', sharesWith: api });
      try {
        expect(await waitForRun(api, channel, id, 'completed')).toMatchObject({ step: 4 });
        expect(await listRuns(api, channel, id)).toHaveLength(1);
        expect(await listBodiesTo(api.deps, channel, PHONE)).toEqual(['One', 'Two', 'Three']);
        expect(await waitForAllMessages(api.deps, channel.account.id, 'delivered')).toBe(3);
        expect(await readBalance(api.deps, channel.account.id)).toBe(CREDIT - 3n * PRICE);
        expect(await prisma.contactGroup.findUniqueOrThrow({ where: { id: group.id } })).toMatchObject({
          contactCount: 1,
        });
        expect(await prisma.webhookDelivery.count({ where: { webhookId: webhook.id } })).toBe(1);
      } finally {
        await otherWorker.close();
      }
    },
  );
});
