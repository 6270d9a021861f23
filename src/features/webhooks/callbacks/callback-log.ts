import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import { type DeliveryEntry, listCallbacks, requeueCallback } from '../delivery-log-store.js';

export interface CallbackLogOptions {
  pool: pg.Pool;
  /** Called when a delivery is due. */
  wakeDeliverer(): void;
}

/** The deliveries to a message's callback URL, newest first. There are few: each status is reported once. */
export function readCallbacks({ pool }: Pick<CallbackLogOptions, 'pool'>, messageId: string): Promise<DeliveryEntry[]> {
  return listCallbacks(pool, messageId);
}

/**
 * Sends a callback again, with the same `webhook-id` and body. Its retry schedule starts over.
 * @throws {AppError} NOT_FOUND if the message has no such callback
 */
export async function replayCallback(
  { pool, wakeDeliverer }: CallbackLogOptions,
  messageId: string,
  deliveryId: string,
): Promise<DeliveryEntry> {
  const entry = await requeueCallback(pool, messageId, deliveryId);
  if (!entry) throw new AppError('NOT_FOUND', 'No delivery has this id.');
  wakeDeliverer();
  return entry;
}
