import { parseAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import { asObject, codeOf, type Json, objects, textOf, timeOf } from './fields.js';

/**
 * Receipt statuses by Meta's status. `sent` is missing, because the response to the submission implies it. `played`
 * is for voice messages (Meta, "Webhooks: status messages").
 */
const STATUSES: ReadonlyMap<unknown, ReceiptStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

/** Returns null for other statuses, or if the message ID is missing. */
export function readStatus(status: Json, carrier: string, now: Date): Receipt | null {
  const carrierMessageId = textOf(status.id);
  const receiptStatus = STATUSES.get(status.status);
  if (!receiptStatus || !carrierMessageId) return null;
  const attempt = parseAttemptId(textOf(status.biz_opaque_callback_data) ?? '');
  const [error] = objects(status.errors);
  return {
    carrier,
    carrierMessageId,
    ...attempt,
    status: receiptStatus,
    ...(receiptStatus !== 'failed' && { overridesFailure: true }),
    occurredAt: timeOf(status.timestamp, now),
    ...(receiptStatus === 'failed' && {
      errorCode: codeOf(error?.code)?.toString() ?? 'FAILED',
      errorMessage: describeError(error),
    }),
  };
}

/** Whether this version understands the status, even if it has no effect. */
export function isKnownStatus(status: unknown): boolean {
  return status === 'sent' || STATUSES.has(status);
}

function describeError(error: Json | undefined): string {
  const text = textOf(asObject(error?.error_data)?.details) ?? textOf(error?.message) ?? textOf(error?.title);
  return text ?? 'Meta reports that the message failed, without a reason.';
}
