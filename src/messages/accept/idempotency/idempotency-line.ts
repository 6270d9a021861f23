import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { requireSameRequest } from '../../../accounts/idempotency/idempotency.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { isStoreUnreachable } from '../../../platform/store/failures.js';
import type { Acceptance } from '../../compose/send-request.js';

/**
 * Runs requests with the same idempotency key one at a time within a process. Requests in different processes are serialized by
 * the key's row.
 */
export class IdempotencyLine {
  readonly #running = new Map<string, { key: IdempotencyKey; answer: Promise<Acceptance> }>();

  /**
   * Waits for a running request with the same key, and shares its failure only if PostgreSQL is unavailable.
   * @throws {AppError} IDEMPOTENCY_MISMATCH if the running request is a different one and succeeds
   */
  async run(account: AccountRef, key: IdempotencyKey, accept: () => Promise<Acceptance>): Promise<Acceptance> {
    const name = `${account.id} ${key.key}`;
    for (;;) {
      const running = this.#running.get(name);
      if (!running) break;
      const answer = await running.answer.catch(throwIfUnavailable);
      if (!answer) continue;
      requireSameRequest(running.key, key);
      return { ...answer, replayed: true };
    }
    const answer = accept();
    this.#running.set(name, { key, answer });
    try {
      return await answer;
    } finally {
      this.#running.delete(name);
    }
  }
}

function throwIfUnavailable(error: unknown): null {
  if (isStoreUnreachable(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
  return null;
}
