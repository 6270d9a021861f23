import type { AccountRef } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { requireSameRequest } from '../../../accounts/idempotency/idempotency.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { isStoreAway } from '../../../platform/store/failures.js';
import type { Acceptance } from '../../compose/send-request.js';

/**
 * Lets the requests of one key pass one at a time within a process: a repetition waits for the first and takes its
 * answer. Between processes the key's row does the same.
 */
export class IdempotencyLine {
  readonly #running = new Map<string, { key: IdempotencyKey; answer: Promise<Acceptance> }>();

  /**
   * Runs `accept`, unless a request with the same key runs already: then its answer is repeated if it succeeds, or if it
   * is that the store is away, for a repetition would only learn the same after as long again.
   * @throws {AppError} IDEMPOTENCY_MISMATCH when the running request is another one and succeeds
   */
  async run(account: AccountRef, key: IdempotencyKey, accept: () => Promise<Acceptance>): Promise<Acceptance> {
    const place = `${account.id} ${key.key}`;
    for (;;) {
      const running = this.#running.get(place);
      if (!running) break;
      const answer = await running.answer.catch(unlessStoreAway);
      if (!answer) continue;
      requireSameRequest(running.key, key);
      return { ...answer, replayed: true };
    }
    const answer = accept();
    this.#running.set(place, { key, answer });
    try {
      return await answer;
    } finally {
      this.#running.delete(place);
    }
  }
}

function unlessStoreAway(error: unknown): null {
  if (isStoreAway(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
  return null;
}
