import { IDEMPOTENCY_LIFETIME_MS } from '../../accounts/idempotency/idempotency.js';
import { type Deletion, daysAgo, deleteInSteps, idDaysAgo, type RetentionOptions } from '../../platform/store/sweep.js';
import { detachMonths, dropDetached } from '../partitions/drop-store.js';
import { DELETE_ORPHANS } from '../partitions/orphans-sql.js';
import { owesNoFallback } from './fallback-sql.js';

/** Receipts that found no message, and the ids by which receipts find one, are useless after this many days. */
const RECEIPT_DAYS = 7;
const REFERENCE_DAYS = 35;

const DELETE_KEYS = `
DELETE FROM idempotency_keys WHERE (account_id, key) IN (
  SELECT account_id, key FROM idempotency_keys WHERE created_at <= $2 LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const DELETE_EARLY_RECEIPTS = `
DELETE FROM early_receipts WHERE id IN (SELECT id FROM early_receipts WHERE received_at <= $2 LIMIT $1)`;

const DELETE_REFERENCES = `
DELETE FROM carrier_references WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM carrier_references WHERE created_at <= $2 LIMIT $1))`;

/**
 * Ids begin with their time, so the oldest rows are one end of the primary key. An SMS in the place of a message is made of that,
 * which so stays until it is.
 */
const DELETE_MESSAGES = `
WITH deleted AS (
  DELETE FROM messages WHERE id IN (
    SELECT id FROM messages m WHERE id < $2::uuid AND next_look IS NULL
      AND ${owesNoFallback('m')}
    ORDER BY id LIMIT $1 FOR UPDATE OF m SKIP LOCKED)
  RETURNING id, account_id, reference
), unreferenced AS (
  DELETE FROM message_references r USING deleted d
  WHERE r.account_id = d.account_id AND r.reference = d.reference AND r.message_id = d.id
)
SELECT id FROM deleted`;

/**
 * Deletes idempotency keys that repeat no answer any more, receipts and references that are too old to be of use, and
 * messages, with their parts, tries and references, that nothing more can happen to: months that have a table of their own
 * whole, the rest row by row. What fails with whole months does not keep the rest from being deleted.
 */
export async function sweepMessages(options: RetentionOptions): Promise<void> {
  const { now, retentionDays, inWholeMonths = false } = options;
  const oldestKey = new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS).toISOString();
  const deletions: Deletion[] = [
    { text: DELETE_KEYS, values: [oldestKey] },
    { text: DELETE_EARLY_RECEIPTS, values: [daysAgo(now, RECEIPT_DAYS)] },
    { text: DELETE_REFERENCES, values: [daysAgo(now, REFERENCE_DAYS)] },
  ];
  const border = idDaysAgo(now, retentionDays);
  // Who waits for whole months waits a minute more, rather than delete one row by row.
  let isRest = retentionDays > 0 && !inWholeMonths;
  try {
    if (retentionDays > 0) isRest = !(await detachMonths(options, border)) || isRest;
    await dropDetached(options);
  } finally {
    const messages = isRest ? [DELETE_MESSAGES] : [];
    const ofMessages = retentionDays > 0 ? [...messages, ...DELETE_ORPHANS] : [];
    await deleteInSteps(options, [...deletions, ...ofMessages.map((text) => ({ text, values: [border] }))]);
  }
}
