import { deleteInSteps, idDaysAgo, runInSteps, type SweepOptions } from '../../platform/store/sweep.js';

/** Deliveries are kept for much longer than their retry schedule lasts. */
const DELIVERY_DAYS = 30;

const DELETE_OLD = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM webhook_deliveries WHERE id < $2::uuid ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const DELETE_ORPHANS = `
WITH RECURSIVE owner AS (
  (SELECT webhook_id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT next.webhook_id FROM owner CROSS JOIN LATERAL (
    SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > owner.webhook_id ORDER BY webhook_id LIMIT 1
  ) next
)
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT orphan.id FROM owner CROSS JOIN LATERAL (
    SELECT id FROM webhook_deliveries WHERE webhook_id = owner.webhook_id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) orphan
  WHERE NOT EXISTS (SELECT FROM webhooks WHERE id = owner.webhook_id) LIMIT $1)`;

/**
 * Longest time from accepting a message to its last logged callback: the days of scheduling, sending, and the delivery
 * log.
 */
const CALLBACK_DAYS = 30 + 7 + DELIVERY_DAYS;

const DELETE_CALLBACKS = `
DELETE FROM message_callbacks WHERE (message_id, delivery_id) IN (
  SELECT message_id, delivery_id FROM message_callbacks WHERE message_id < $2::uuid
  ORDER BY message_id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** A callback host is never disabled, so a host that no send uses any more would otherwise count as failing forever. */
const FORGET_HOSTS = `
UPDATE webhooks SET failing_since = NULL WHERE id IN (
  SELECT id FROM webhooks w WHERE is_callback AND failing_since IS NOT NULL
    AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE webhook_id = w.id) LIMIT $1)`;

export async function sweepDeliveries(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [
    { text: DELETE_OLD, values: [idDaysAgo(options.now, DELIVERY_DAYS)] },
    { text: DELETE_ORPHANS, values: [] },
    { text: DELETE_CALLBACKS, values: [idDaysAgo(options.now, CALLBACK_DAYS)] },
  ]);
  if (!options.isStopped()) await runInSteps(options, { text: FORGET_HOSTS, values: [] });
}
