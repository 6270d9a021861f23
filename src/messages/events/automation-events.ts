import type pg from 'pg';
import { emitEvents } from './outbox.js';
import type { CompletedRun } from './webhook-events.js';

/** Must be called in the transaction that ends the automation run. */
export async function emitRunCompleted(client: pg.PoolClient, accountId: string, run: CompletedRun): Promise<void> {
  const { channelId, completedAt } = run;
  const event = { accountId, channelId, type: 'automation.completed', occurredAt: completedAt } as const;
  await emitEvents(client, event, [run]);
}
