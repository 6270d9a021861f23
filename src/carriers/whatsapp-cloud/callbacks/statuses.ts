import { readAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import { asObject, codeOf, type Json, objects, textOf, timeOf } from './fields.js';

/**
 * Meta's status of a message, where it is one of ours. `sent` is known from the submission. `played` is said of a voice message
 * ("Webhooks: status messages").
 */
const STATUSES: ReadonlyMap<unknown, ReceiptStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

/** Null where it is not known, or lacks the id of the message. */
export function readStatus(status: Json, carrier: string, now: Date): Receipt | null {
  const carrierMessageId = textOf(status.id);
  const known = STATUSES.get(status.status);
  if (!known || !carrierMessageId) return null;
  const ours = readAttemptId(textOf(status.biz_opaque_callback_data) ?? '');
  const [error] = objects(status.errors);
  return {
    carrier,
    carrierMessageId,
    ...ours,
    status: known,
    ...(known !== 'failed' && { overridesFailure: true }),
    occurredAt: timeOf(status.timestamp, now),
    ...(known === 'failed' && {
      errorCode: codeOf(error?.code)?.toString() ?? 'FAILED',
      errorMessage: describe(error),
    }),
  };
}

/** Whether this version knows the status, though it makes nothing of it. */
export function isKnownStatus(status: unknown): boolean {
  return status === 'sent' || STATUSES.has(status);
}

function describe(error: Json | undefined): string {
  const said = textOf(asObject(error?.error_data)?.details) ?? textOf(error?.message) ?? textOf(error?.title);
  return said ?? 'Meta reports that the message failed, and not why.';
}
