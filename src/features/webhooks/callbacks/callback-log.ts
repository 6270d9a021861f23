import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import { type DeliveryEntry, listCallbacks, requeueCallback } from '../delivery-log-store.js';

export interface CallbackLogOptions {
  pool: pg.Pool;
  /** Called when a delivery has become due. */
  wakeDeliverer(): void;
}

/** What was sent to the callback URL of a message, the newest first: a handful, for each status is told once. */
export function callbacksOf({ pool }: Pick<CallbackLogOptions, 'pool'>, messageId: string): Promise<DeliveryEntry[]> {
  return listCallbacks(pool, messageId);
}

/**
 * Sends a callback of a message again, with the same `webhook-id` and body; its schedule starts anew.
 * @throws {AppError} NOT_FOUND when the message has no such callback
 */
export async function replayCallback(
  { pool, wakeDeliverer }: CallbackLogOptions,
  messageId: string,
  deliveryId: string,
): Promise<DeliveryEntry> {
  const entry = await requeueCallback(pool, messageId, deliveryId);
  if (!entry) throw new AppError('NOT_FOUND', 'There is no delivery with this id.');
  wakeDeliverer();
  return entry;
}
