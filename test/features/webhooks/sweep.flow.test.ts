import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { maintenanceMetrics } from '../../../src/features/maintenance/metrics.js';
import { sweepDeliveries } from '../../../src/features/webhooks/sweep-store.js';
import { lowestIdAt, newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';
import { addWebhook, sendTest } from './setup.js';

const DAY_MS = 86_400_000;
const heliograph = suiteApp({ role: 'api' });
const channel = forSuite(() => createTestChannel(heliograph.deps));

const listDeliveryIds = async (webhookId: string) =>
  (await heliograph.deps.prisma.webhookDelivery.findMany({ where: { webhookId }, select: { id: true } })).map(
    ({ id }) => id,
  );

describe('the delivery log', () => {
  it('the delivery log keeps deliveries for 30 days', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const clock = new ManualClock(new Date());
    const oldId = lowestIdAt(new Date(clock.now().getTime() - 30 * DAY_MS - 1_000));
    const recentId = lowestIdAt(new Date(clock.now().getTime() - 30 * DAY_MS + 60_000));
    for (const id of [oldId, recentId]) {
      await heliograph.deps.prisma.webhookDelivery.create({
        data: { id, webhookId: webhook.id, type: 'webhook.test', data: {}, occurredAt: clock.now() },
      });
    }
    const { pool } = heliograph.deps;
    const logLines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
    const maintenance = new Maintenance({ pool, log, clock, retentionDays: 0 });
    await maintenance.sweep();
    expect(await listDeliveryIds(webhook.id)).toEqual([recentId]);
    const logged = logLines.map((line) => JSON.parse(line) as { msg: string; deleted: Record<string, number> });
    expect(logged).toMatchObject([{ msg: 'old rows were deleted', deleted: { webhook_deliveries: 1 } }]);
    const [metric] = maintenanceMetrics(maintenance);
    expect(await metric?.read()).toContainEqual({ labels: { table: 'webhook_deliveries' }, value: 1 });
    await maintenance.sweep();
    expect(logLines).toHaveLength(1);
  });

  it('the delivery log clears the failure of a callback host without deliveries', async () => {
    const { pool } = heliograph.deps;
    const [forgotten, kept, webhook] = [newId(), newId(), newId()];
    await pool.query(
      `INSERT INTO webhooks (id, account_id, url, events, secret, is_callback, failing_since)
       SELECT id, $4, 'https://' || id, '{}', '', id <> $3, now() FROM unnest(ARRAY[$1, $2, $3]::uuid[]) AS made(id)`,
      [forgotten, kept, webhook, channel.account.id],
    );
    await pool.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at) VALUES ($1, $2, 'message.status', '{}', now())`,
      [newId(), kept],
    );
    await sweepDeliveries({ pool, now: new Date(), step: 1, isStopped: () => false });
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM webhooks WHERE failing_since IS NOT NULL AND id = ANY($1) ORDER BY id',
      [[forgotten, kept, webhook]],
    );
    expect(rows.map(({ id }) => id)).toEqual([kept, webhook].sort());
  });

  it('the delivery log loses only deliveries of a deleted webhook, in steps', async () => {
    const [gone, stays] = [
      await addWebhook(heliograph, channel, 'https://example.com/'),
      await addWebhook(heliograph, channel, 'https://example.com/'),
    ];
    const keptId = await sendTest(heliograph, channel, stays);
    await heliograph.deps.prisma.webhook.update({ where: { id: stays.id }, data: { isActive: false } });
    for (let i = 0; i < 5; i += 1) await sendTest(heliograph, channel, gone);
    await call(heliograph, channel, 'DELETE', `/webhooks/${gone.id}`);
    expect(await listDeliveryIds(gone.id)).toHaveLength(5);
    let statements = 0;
    const isStopped = () => {
      statements += 1;
      return false;
    };
    await sweepDeliveries({ pool: heliograph.deps.pool, now: new Date(), step: 2, isStopped });
    expect(await listDeliveryIds(gone.id)).toEqual([]);
    expect(await listDeliveryIds(stays.id)).toEqual([keptId]);
    // `isStopped` is called once for old rows, three times for orphans, once for callbacks and twice for hosts.
    expect(statements).toBe(1 + 3 + 1 + 2);
  });
});
