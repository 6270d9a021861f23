import { parseAttemptId } from '../../attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../carrier.js';
import type { FailureCode } from '../../failure-codes.js';
import { readErrorCode } from '../send/errors.js';
import { asObject, type Json, readObjects, readText, readTime } from './fields.js';

/**
 * The list lacks `sent`, because the response to the submission implies it. `played` is for voice messages (Meta,
 * "Webhooks: status messages").
 */
const STATUSES: ReadonlyMap<unknown, ReceiptStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

export function readStatus(status: Json, carrier: string, now: Date): Receipt | null {
  const carrierMessageId = readText(status.id);
  const receiptStatus = STATUSES.get(status.status);
  if (!receiptStatus || !carrierMessageId) return null;
  const attempt = parseAttemptId(readText(status.biz_opaque_callback_data) ?? '');
  const [error] = readObjects(status.errors);
  return {
    carrier,
    carrierMessageId,
    ...attempt,
    status: receiptStatus,
    ...(receiptStatus !== 'failed' && { overridesFailure: true }),
    occurredAt: readTime(status.timestamp, now),
    ...(receiptStatus === 'failed' && {
      errorCode: readErrorCode(error?.code)?.toString() ?? ('FAILED' satisfies FailureCode),
      errorMessage: describeError(error),
    }),
  };
}

export function isKnownStatus(status: unknown): boolean {
  return status === 'sent' || STATUSES.has(status);
}

function describeError(error: Json | undefined): string {
  const text = readText(asObject(error?.error_data)?.details) ?? readText(error?.message) ?? readText(error?.title);
  return text ?? 'Meta reports that the message failed, without a reason.';
}
