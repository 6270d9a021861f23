import type pg from 'pg';
import type { AccountRef } from '../../accounts/account-ref.js';
import { AppError } from '../../platform/errors.js';
import type { Statement } from '../../platform/store/pool.js';
import type { Acceptance, IdempotencyClaim } from '../compose/send-request.js';

/** How long a key repeats its first answer. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

const FIND_KEY: Statement = {
  name: 'idempotency-find-key',
  text: `SELECT route, body_hash, message_ids FROM idempotency_keys
         WHERE account_id = $1 AND key = $2 AND created_at > $3`,
};

const FIND_MESSAGES: Statement = {
  name: 'idempotency-find-messages',
  text: `SELECT id, created_at, recipient, recipient_plus, parts, sender, body FROM messages
         WHERE id = ANY($1::uuid[]) AND account_id = $2 ORDER BY id`,
};

interface MessageRow {
  id: string;
  created_at: Date;
  recipient: string;
  recipient_plus: boolean;
  parts: number;
  sender: string;
  body: string;
}

/**
 * What a key made within the 24 hours before `now`, rendered from its messages; null when it made nothing.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when route or body differ from the first request's
 */
export async function loadReplay(
  pool: pg.Pool,
  account: AccountRef,
  claim: IdempotencyClaim,
  now: Date,
): Promise<Acceptance | null> {
  const oldest = new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS).toISOString();
  const keys = await pool.query<{ route: string; body_hash: Buffer; message_ids: string[] }>({
    ...FIND_KEY,
    values: [account.id, claim.key, oldest],
  });
  const [key] = keys.rows;
  if (!key) return null;
  if (key.route !== claim.route || !key.body_hash.equals(claim.bodyHash)) throw mismatch();
  const { rows } = await pool.query<MessageRow>({ ...FIND_MESSAGES, values: [key.message_ids, account.id] });
  const [first] = rows;
  if (!first) return null;
  return {
    acceptedAt: first.created_at,
    from: first.sender,
    body: first.body,
    messages: rows.map((row) => ({
      id: row.id,
      recipient: { digits: row.recipient, plus: row.recipient_plus },
      parts: row.parts,
    })),
    replayed: true,
  };
}

/**
 * Lets the requests of one key pass one at a time within a process: a repetition waits for the first and takes its
 * answer. Between processes the key's row does the same.
 */
export class IdempotencyLine {
  readonly #running = new Map<string, { claim: IdempotencyClaim; answer: Promise<Acceptance> }>();

  /**
   * Runs `accept`, unless a request with the same key runs already: then its answer is repeated if it succeeds.
   * @throws {AppError} IDEMPOTENCY_MISMATCH when the running request is another one and succeeds
   */
  async run(account: AccountRef, claim: IdempotencyClaim, accept: () => Promise<Acceptance>): Promise<Acceptance> {
    const place = `${account.id} ${claim.key}`;
    for (;;) {
      const running = this.#running.get(place);
      if (!running) break;
      const answer = await running.answer.catch(() => null);
      if (!answer) continue;
      if (running.claim.route !== claim.route || !running.claim.bodyHash.equals(claim.bodyHash)) throw mismatch();
      return { ...answer, replayed: true };
    }
    const answer = accept();
    this.#running.set(place, { claim, answer });
    try {
      return await answer;
    } finally {
      this.#running.delete(place);
    }
  }
}

function mismatch(): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', 'Idempotency-Key was already used for a request with another body.', [
    { field: 'Idempotency-Key', rule: 'must not be reused for another request' },
  ]);
}
