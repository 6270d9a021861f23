import type pg from 'pg';
import { notFound } from '../../../platform/errors/app-error.js';
import { type DeliveryEntry, listCallbacks, requeueCallback } from '../delivery-log-store.js';

export interface CallbackLogOptions {
  pool: pg.Pool;
  wakeDeliverer(): void;
}

/** Newest first. */
export function readCallbacks({ pool }: Pick<CallbackLogOptions, 'pool'>, messageId: string): Promise<DeliveryEntry[]> {
  return listCallbacks(pool, messageId);
}

/**
 * Sends a callback again with the same `webhook-id` and body, and restarts its retry schedule.
 * @throws {AppError} NOT_FOUND if the message has no such callback
 */
export async function replayCallback(
  { pool, wakeDeliverer }: CallbackLogOptions,
  messageId: string,
  deliveryId: string,
): Promise<DeliveryEntry> {
  const entry = await requeueCallback(pool, messageId, deliveryId);
  if (!entry) throw notFound('delivery');
  wakeDeliverer();
  return entry;
}
