import type pg from 'pg';
import type { Logger } from 'pino';
import type { AccountRef } from '../../accounts/account-ref.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { newId } from '../../platform/ids.js';
import { outcomeUnknown, worthRepeating } from '../../platform/store/failures.js';
import { inTransaction } from '../../platform/store/pool.js';
import type { Acceptance, IdempotencyClaim, SendRequest } from '../compose/send-request.js';
import { type CommitOutcome, commitBatch, findCommitted, type PendingRequest } from './accept-store.js';
import { IdempotencyLine, loadReplay } from './idempotency.js';
import type { Pricing } from './pricing.js';
import { partsOf, storedBytesOf, weightOf } from './volume.js';

/** A batch closes before it outgrows this many messages, or the weight of their texts; a heavier request commits alone. */
const BATCH_MESSAGES = 500;
/** How long a commit whose answer was lost is asked after before the caller is told that it is unknown. */
const UNKNOWN_DEADLINE_MS = 8_000;
const UNKNOWN_PAUSE_MS = 100;

export interface AcceptorOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  faults: FaultPoints;
  pricing: Pricing;
  routing: Pick<Routing, 'isEmpty' | 'carriersFor'>;
  /** Seconds for which an accepted message may be tried. */
  validitySeconds: number;
  /** Messages that may wait for a commit. */
  waitingLimit: number;
  /** Told of every committed request, after its commit; must not throw. */
  onCommitted(committed: readonly PendingRequest[]): void;
}

/**
 * Accepts sends: prices them, and commits debit, idempotency key and messages together with those of other requests
 * that arrive at the same time. When it resolves, the messages are in PostgreSQL and charged.
 */
export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #commits: GroupCommit<PendingRequest, CommitOutcome>;
  readonly #line = new IdempotencyLine();

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#commits = new GroupCommit<PendingRequest, CommitOutcome>({
      commit: (batch) => this.#commit(batch),
      weigh: (pending) => weightOf(pending.ids.length, pending.storedBytes),
      batchWeight: BATCH_MESSAGES,
      waitingLimit: options.waitingLimit,
    });
  }

  /**
   * Commits a send, or repeats the answer of the one that its idempotency key already made.
   * @throws {AppError} INSUFFICIENT_BALANCE; IDEMPOTENCY_MISMATCH when the key was used for another request;
   * UNAVAILABLE when the server is overloaded or cannot learn whether the commit happened
   */
  async accept(request: SendRequest): Promise<Acceptance> {
    const claim = request.idempotency;
    if (!claim) return this.#acceptOnce(request);
    return this.#line.run(request.account, claim, async () => {
      try {
        return await this.#acceptOnce(request);
      } catch (error) {
        // An account that cannot pay is refused before its key is looked at.
        const unfunded = error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE';
        if (!(error instanceof KeyTaken || unfunded)) throw error;
        const replay = await this.replay(request.account, claim);
        if (replay) return replay;
        if (unfunded) throw error;
        // The key's row expired between the two looks.
        return this.#acceptOnce(request);
      }
    });
  }

  /**
   * The answer that an idempotency key has made within the last 24 hours; null when it made none.
   * @throws {AppError} IDEMPOTENCY_MISMATCH when the key was used for another request
   */
  replay(account: AccountRef, claim: IdempotencyClaim): Promise<Acceptance | null> {
    return loadReplay(this.#options.pool, account, claim, this.#options.clock.now());
  }

  /** Resolves once every commit that was begun has its answer. */
  idle(): Promise<void> {
    return this.#commits.idle();
  }

  /**
   * Prices a send and makes its ids; nothing is committed yet. For callers that commit in a transaction of their own.
   * @throws {AppError} INVALID_REQUEST for more text than a message or a commit can hold
   */
  async prepare(request: SendRequest): Promise<PendingRequest> {
    const parts = partsOf(request);
    const storedBytes = storedBytesOf(request);
    const prices = await this.#options.pricing.price(request, parts);
    const acceptedAt = this.#options.clock.now();
    const { scheduledAt = acceptedAt, validitySeconds = this.#options.validitySeconds } = request;
    return {
      request,
      acceptedAt,
      validUntil: new Date(scheduledAt.getTime() + validitySeconds * 1000),
      parts,
      ids: request.recipients.map(() => newId()),
      prices,
      carriers: this.#route(request),
      charge: prices.reduce((sum, price) => sum + price, 0n),
      storedBytes,
    };
  }

  /**
   * Commits prepared sends with whatever else the transaction does. To be followed, after its commit, by `announce` of
   * what was accepted. The account is locked first, so take no other locks that an acceptance may wait for before it.
   */
  commitWithin(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<CommitOutcome[]> {
    return commitBatch(client, batch, this.#options.clock.now());
  }

  /** Tells the queue of sends that were committed by `commitWithin`. */
  announce(committed: readonly PendingRequest[]): void {
    if (committed.length > 0) this.#options.onCommitted(committed);
  }

  /** The first carrier of each recipient's route; null where no SMS has one. */
  #route({ kind, account, from, recipients }: SendRequest): (string | null)[] | null {
    const { routing } = this.#options;
    if (kind !== 'sms' || routing.isEmpty) return null;
    const carriers = recipients.map(
      ({ digits }) => routing.carriersFor({ accountId: account.id, recipient: digits, sender: from })?.[0] ?? null,
    );
    return carriers.some(Boolean) ? carriers : null;
  }

  async #acceptOnce(request: SendRequest): Promise<Acceptance> {
    const pending = await this.prepare(request);
    const outcome = await this.#commits.add(pending);
    if (outcome === 'conflict') throw new KeyTaken();
    if (outcome === 'unfunded') {
      throw new AppError('INSUFFICIENT_BALANCE', 'The balance of the account is too low for this request.');
    }
    return {
      acceptedAt: pending.acceptedAt,
      from: request.from,
      body: request.body,
      messages: request.recipients.map((recipient, index) => ({
        id: pending.ids[index] as string,
        recipient,
        parts: pending.parts,
      })),
      replayed: false,
    };
  }

  async #commit(batch: readonly PendingRequest[]): Promise<(CommitOutcome | Error)[]> {
    const results = await this.#commitShared(batch);
    for (const [index, pending] of batch.entries()) {
      // The account could not pay for all of its requests at once: each is tried alone, in order.
      if (results[index] === 'unfunded' && batch.length > 1) results[index] = await this.#commitAlone(pending);
    }
    await this.#options.faults.hit('accept:committed');
    const accepted = batch.filter((_, index) => results[index] === 'accepted');
    if (accepted.length > 0) this.#options.onCommitted(accepted);
    return results;
  }

  async #commitShared(batch: readonly PendingRequest[]): Promise<(CommitOutcome | Error)[]> {
    try {
      return await this.#commitKnown(batch);
    } catch (error) {
      if (batch.length === 1 || error instanceof AppError) return batch.map(() => error as Error);
      this.#options.log.warn(
        { err: error, requests: batch.length },
        'a shared commit failed; trying each request alone',
      );
      const outcomes: (CommitOutcome | Error)[] = [];
      for (const pending of batch) outcomes.push(await this.#commitAlone(pending));
      return outcomes;
    }
  }

  async #commitAlone(pending: PendingRequest): Promise<CommitOutcome | Error> {
    try {
      const [outcome] = await this.#commitKnown([pending]);
      return outcome as CommitOutcome;
    } catch (error) {
      return error as Error;
    }
  }

  /** Commits a batch; where the answer is lost, finds out what happened before anything is tried again. */
  async #commitKnown(batch: readonly PendingRequest[]): Promise<CommitOutcome[]> {
    const { pool, clock, faults, log } = this.#options;
    const deadline = performance.now() + UNKNOWN_DEADLINE_MS;
    let answerLost = false;
    for (;;) {
      try {
        const outcomes = answerLost ? await this.#commitMissing(batch) : await commitBatch(pool, batch, clock.now());
        await faults.hit('accept:answer');
        return outcomes;
      } catch (error) {
        if (outcomeUnknown(error)) answerLost = true;
        else if (!worthRepeating(error)) throw error;
        if (performance.now() > deadline) {
          log.error({ err: error }, 'a commit could not be confirmed');
          throw new AppError('UNAVAILABLE', UNKNOWN_MESSAGE, [], { cause: error });
        }
        await new Promise((resolve) => setTimeout(resolve, UNKNOWN_PAUSE_MS));
      }
    }
  }

  #commitMissing(batch: readonly PendingRequest[]): Promise<CommitOutcome[]> {
    return inTransaction(this.#options.pool, async (client) => {
      const committed = await findCommitted(client, batch);
      const missing = batch.filter((pending) => !committed.has(pending));
      const outcomes = missing.length > 0 ? await commitBatch(client, missing, this.#options.clock.now()) : [];
      return batch.map((pending) =>
        committed.has(pending) ? 'accepted' : (outcomes[missing.indexOf(pending)] as CommitOutcome),
      );
    });
  }
}

const UNKNOWN_MESSAGE =
  'The store did not answer, so it is unknown whether the request was accepted. Repeat it with an Idempotency-Key to be safe.';

/** The idempotency key of a request was taken by an earlier one. */
class KeyTaken extends Error {}
