import type pg from 'pg';
import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { resultWasDeleted } from '../../accounts/idempotency/idempotency.js';
import { insufficientBalance } from '../../accounts/insufficient-balance.js';
import { findBalance } from '../../accounts/ledger-store.js';
import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { Acceptance, SendRequest } from '../compose/send-request.js';
import { AcceptTally } from './accept-tally.js';
import { Committer, type CommitterOptions } from './committer.js';
import { recipientsAtLimit } from './guard/commit-guarded.js';
import { recordHold } from './guard/hold-store.js';
import { type NewHold, SendingHeld } from './guard/holds.js';
import { findAcceptance } from './idempotency/acceptance-store.js';
import { IdempotencyLine } from './idempotency/idempotency-line.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { type PrepareOptions, prepareSend } from './prepare.js';
import { type AcceptingHost, type AcceptingPlan, type AcceptingTransaction, acceptWithin } from './within.js';

export interface AcceptorOptions extends PrepareOptions, CommitterOptions {}

/** Commits a prepared send. */
export type Commit = (pending: PendingRequest) => Promise<CommitOutcome>;

/**
 * Accepts sends: prices them, and commits debit, idempotency key and messages together with those of other requests
 * that arrive at the same time. When it resolves, the messages are in PostgreSQL and charged.
 */
export class Acceptor {
  /** Of what was accepted. */
  readonly tally = new AcceptTally();
  readonly #options: AcceptorOptions;
  readonly #committer: Committer;
  readonly #line = new IdempotencyLine();
  /** Holds that are being written down. */
  readonly #holding = new Map<string, Promise<void>>();
  readonly #shared: Commit = (pending) => this.#committer.commit(pending);

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#committer = new Committer({ ...options, onCommitted: (committed) => this.#committed(committed) });
  }

  /** Of its group commits, for those who watch. */
  get groups() {
    return this.#committer.groups;
  }

  /**
   * Commits a send, or repeats the answer of the one that its idempotency key already made.
   * @param commit in place of the shared commit: a transaction of the caller's, by `within`
   * @throws {AppError} INSUFFICIENT_BALANCE; DESTINATION_REFUSED and LIMIT_REACHED by the guard; IDEMPOTENCY_MISMATCH when the key was used for another request;
   * UNAVAILABLE when the server is overloaded or cannot learn whether the commit happened
   */
  async accept(request: SendRequest, commit = this.#shared): Promise<Acceptance> {
    try {
      return await this.#acceptOrRepeat(request, commit);
    } catch (error) {
      this.tally.refused(error);
      throw error;
    }
  }

  #acceptOrRepeat(request: SendRequest, commit: Commit): Promise<Acceptance> {
    const { account, idempotencyKey } = request;
    if (!idempotencyKey) return this.#acceptOnce(request, commit);
    return this.#line.run(account, idempotencyKey, async () => {
      try {
        return await this.#acceptOnce(request, commit);
      } catch (error) {
        // What an account cannot pay for, or may not write to, is refused before the key is looked at.
        const refused = error instanceof AppError && REFUSALS.has(error.code);
        if (!(error instanceof KeyTaken || refused)) throw error;
        const replay = await this.replay(account, idempotencyKey);
        if (replay) return replay;
        if (refused) throw error;
        // The key's row expired between the two looks; or it stands, and what it made was deleted.
        return await this.#acceptOnce(request, commit).catch(toldAsDeleted);
      }
    });
  }

  async #acceptOnce(request: SendRequest, commit: Commit): Promise<Acceptance> {
    let pending: PendingRequest;
    let outcome: CommitOutcome;
    try {
      pending = await this.prepare(request);
      outcome = await commit(pending);
    } catch (error) {
      await this.#hold(error);
      throw error;
    }
    if (outcome instanceof AppError) {
      await this.#hold(outcome);
      throw outcome;
    }
    if (outcome === 'conflict') throw new KeyTaken();
    if (outcome === 'unfunded') {
      const { id, currency } = request.account;
      const availableMicros = await findBalance(this.#options.pool, id);
      throw insufficientBalance({ neededMicros: pending.charge, availableMicros, currency });
    }
    const { acceptedAt, ids, parts } = pending;
    return {
      acceptedAt,
      body: request.body,
      messages: request.recipients.map((recipient, index) => ({ id: ids[index] as string, recipient, parts })),
      notes: request.notes,
      replayed: false,
    };
  }

  /**
   * The answer that an idempotency key has made within its lifetime; null when it made none.
   * @throws {AppError} IDEMPOTENCY_MISMATCH when the key was used for another request
   */
  replay(account: AccountRef, key: IdempotencyKey): Promise<Acceptance | null> {
    return findAcceptance(this.#options.pool, account.id, key, this.#options.clock.now());
  }

  /**
   * Prices a send and makes its ids; nothing is committed yet.
   * @throws {AppError} INVALID_REQUEST for more text than a message or a commit can hold
   */
  prepare(request: SendRequest): Promise<PendingRequest> {
    return prepareSend(this.#options, request);
  }

  /**
   * Runs work in one transaction that accepts sends with whatever else it does, such as moving a campaign on. It locks in
   * the right order: what `plan` takes, the accounts that pay, and then what the work locks. Once all of it is committed,
   * the queue is told of what was accepted; where the work throws, nothing has happened.
   * @param host a pool; or a change that is being made, which then commits
   */
  async within<T, R>(
    host: AcceptingHost,
    plan: AcceptingPlan<T>,
    work: (transaction: AcceptingTransaction, taken: T) => Promise<R>,
  ): Promise<R> {
    const refusals: unknown[] = [];
    const parts = {
      held: this.#options.held,
      timeoutMs: this.#options.timeoutMs,
      prepare: async (request: SendRequest, client: pg.PoolClient) => {
        try {
          return await prepareSend(this.#options, request, client);
        } catch (error) {
          this.tally.refused(error);
          throw error;
        }
      },
      commit: async (client: pg.PoolClient, batch: readonly PendingRequest[]) => {
        const outcomes = await this.#committer.commitWithin(client, batch);
        for (const outcome of outcomes) this.tally.refused(outcome);
        refusals.push(...outcomes);
        return outcomes;
      },
      atLimit: (client: pg.PoolClient, batch: readonly PendingRequest[]) =>
        recipientsAtLimit(client, batch, this.#options.clock.now()),
      hit: (faultPoint: string) => this.#options.faults.hit(faultPoint),
      tell: (accepted: readonly PendingRequest[]) => this.#committed(accepted),
    };
    const accepting = acceptWithin(parts, host, plan, work);
    // A change goes on with the accounts locked: who makes it has what was refused.
    if ('afterCommit' in host) return accepting;
    return accepting.finally(() => Promise.all(refusals.map((refusal) => this.#hold(refusal))));
  }

  /** Writes down what a refusal holds from now on, once its transaction is over. The refusals after it find it anew. */
  async #hold(error: unknown): Promise<void> {
    if (!(error instanceof SendingHeld && error.fresh)) return;
    const { accountId, prefix } = error.fresh;
    const name = `${accountId} ${prefix}`;
    // Of many that are refused at once one writes it down.
    const holding = this.#holding.get(name) ?? this.#record(error.fresh).finally(() => this.#holding.delete(name));
    this.#holding.set(name, holding);
    await holding;
  }

  async #record(hold: NewHold): Promise<void> {
    const { pool, clock, log } = this.#options;
    try {
      if (await recordHold(pool, hold, clock.now())) this.tally.held(hold.reason);
    } catch (error) {
      log.warn({ err: error, accountId: hold.accountId }, 'a hold could not be written down');
    }
  }

  #committed(committed: readonly PendingRequest[]): void {
    this.tally.committed(committed);
    this.#options.onCommitted(committed);
  }

  /** Resolves once every commit that was begun has its answer. */
  idle(): Promise<void> {
    return this.#committer.idle();
  }
}

/** What a send is refused for, whether or not it was accepted before. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'INSUFFICIENT_BALANCE',
  'DESTINATION_REFUSED',
  'LIMIT_REACHED',
  'SENDING_HELD',
]);

/** The idempotency key of a request was taken by an earlier one. */
class KeyTaken extends Error {}

function toldAsDeleted(error: unknown): never {
  if (!(error instanceof KeyTaken)) throw error;
  throw resultWasDeleted();
}
