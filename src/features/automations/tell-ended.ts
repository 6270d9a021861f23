import type pg from 'pg';
import type { EndedRun } from '../../messages/events/bodies.js';
import { emitEvents } from '../../messages/events/outbox.js';

/** Tells the webhooks of a run's channel and account that it has ended, in the transaction that ends it. */
export async function tellEnded(client: pg.PoolClient, accountId: string, run: EndedRun): Promise<void> {
  const { channelId, completedAt } = run;
  const event = { accountId, channelId, type: 'automation.completed', occurredAt: completedAt } as const;
  await emitEvents(client, event, [run]);
}
