import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { lowestIdAt } from '../../../src/platform/ids.js';
import { createAutomation, receiveText } from '../../support/automations.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2027-06-01T00:00:00.000Z').getTime();
const heliograph = suiteApp({ role: 'api' });
const channel = forSuite(() => createTestChannel(heliograph.deps));

async function sweep(retentionDays: number): Promise<void> {
  const log = pino({ level: 'silent' });
  const clock = new ManualClock(new Date(NOW));
  await new Maintenance({ pool: heliograph.deps.pool, log, clock, retentionDays, step: 2 }).sweep();
}

it('only runs that ended before the retention period are deleted, in batches', async () => {
  const { prisma } = heliograph.deps;
  const automationId = await createAutomation(heliograph, channel, [{ type: 'wait', seconds: 60 }]);
  const contactId = await receiveText(heliograph.deps, channel, '15005550111', 'Hi');
  const addRun = async (beganDaysAgo: number, endedDaysAgo: number | null) => {
    const id = lowestIdAt(new Date(NOW - beganDaysAgo * DAY_MS));
    const completedAt = endedDaysAgo === null ? null : new Date(NOW - endedDaysAgo * DAY_MS);
    await prisma.automationRun.create({
      data: {
        ...{ id, automationId, contactId, accountId: channel.account.id, channelId: channel.channelId },
        ...{ steps: [], variables: {}, startedAt: new Date(NOW - beganDaysAgo * DAY_MS), completedAt },
        status: completedAt ? 'completed' : 'waiting',
        dueAt: completedAt ? null : new Date(NOW),
      },
    });
    return id;
  };
  for (const days of [95, 94, 93, 92, 91]) await addRun(days, days - 0.5);
  const keptRuns = [await addRun(200, null), await addRun(100, 89), await addRun(89, 88)];
  const listRemaining = async () =>
    (await prisma.automationRun.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
  await sweep(0);
  expect(await listRemaining()).toHaveLength(8);
  await sweep(90);
  expect(await listRemaining()).toEqual(keptRuns);
});
