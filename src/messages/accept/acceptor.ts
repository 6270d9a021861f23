import type pg from 'pg';
import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { createDeletedResultError } from '../../accounts/idempotency/idempotency.js';
import { createBalanceError } from '../../accounts/insufficient-balance.js';
import { findBalance } from '../../accounts/ledger-store.js';
import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { Acceptance, SendRequest } from '../compose/send-request.js';
import type { AcceptTally } from './accept-tally.js';
import { type AcceptingHost, type AcceptingPlan, type AcceptingTransaction, acceptWithin } from './accept-within.js';
import { CommitAnnouncer, type CommitAnnouncerOptions } from './commit-announcer.js';
import { Committer, type CommitterOptions } from './committer.js';
import { findRecipientsAtLimit } from './guard/commit-guarded.js';
import { recordHold } from './guard/hold-store.js';
import { type NewHold, SendingHeld } from './guard/holds.js';
import { findAcceptance } from './idempotency/acceptance-store.js';
import { IdempotencyLine } from './idempotency/idempotency-line.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { type PrepareOptions, prepareSend } from './prepare.js';

export interface AcceptorOptions extends PrepareOptions, Omit<CommitterOptions, 'announcer'>, CommitAnnouncerOptions {}

export type Commit = (pending: PendingRequest) => Promise<CommitOutcome>;

/** Once `accept` resolves, the messages are stored and charged. */
export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #announcer: CommitAnnouncer;
  readonly #committer: Committer;
  readonly #keyLine = new IdempotencyLine();
  readonly #pendingHolds = new Map<string, Promise<void>>();

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#announcer = new CommitAnnouncer(options);
    this.#committer = new Committer({ ...options, announcer: this.#announcer });
  }

  get tally(): AcceptTally {
    return this.#announcer.tally;
  }

  get groups() {
    return this.#committer.groups;
  }

  /**
   * Accepts a send, or returns the response to an earlier request with the same idempotency key.
   * @param commit used instead of the batched commit
   * @throws {AppError} INSUFFICIENT_BALANCE; DESTINATION_REFUSED, LIMIT_REACHED and SENDING_HELD by the guard;
   * FREQUENCY_CAP for marketing;
   * IDEMPOTENCY_MISMATCH if the key was used for another request; UNAVAILABLE if the server is overloaded or cannot find out
   * whether the commit happened
   */
  async accept(request: SendRequest, commit?: Commit): Promise<Acceptance> {
    try {
      return await this.#acceptOrRepeat(request, commit);
    } catch (error) {
      this.tally.countRefusal(error);
      throw error;
    }
  }

  #acceptOrRepeat(request: SendRequest, commit: Commit | undefined): Promise<Acceptance> {
    const { account, idempotencyKey } = request;
    if (!idempotencyKey) return this.#acceptOnce(request, commit);
    return this.#keyLine.run(account, idempotencyKey, () => this.#acceptWithKey(request, idempotencyKey, commit));
  }

  async #acceptWithKey(request: SendRequest, key: IdempotencyKey, commit: Commit | undefined): Promise<Acceptance> {
    try {
      return await this.#acceptOnce(request, commit);
    } catch (error) {
      // A refusal may be raised before the idempotency key is checked, but a repeated request must still get its first
      // response.
      const isRefusal = error instanceof AppError && REFUSALS.has(error.code);
      if (!(error instanceof KeyTaken || isRefusal)) throw error;
      const replay = await this.replay(request.account, key);
      if (replay) return replay;
      if (isRefusal) throw error;
      // If the earlier result is not found, the idempotency key has just expired, or the messages have been deleted.
      return await this.#acceptOnce(request, commit).catch(throwResultDeleted);
    }
  }

  async #acceptOnce(request: SendRequest, commit: Commit | undefined): Promise<Acceptance> {
    let pending: PendingRequest;
    let outcome: CommitOutcome;
    try {
      pending = await this.prepare(request);
      outcome = await (commit ? commit(pending) : this.#committer.commit(pending));
    } catch (error) {
      await this.#recordNewHold(error);
      throw error;
    }
    if (outcome instanceof AppError) {
      await this.#recordNewHold(outcome);
      throw outcome;
    }
    if (outcome === 'conflict') throw new KeyTaken();
    if (outcome === 'unfunded') {
      const { id, currency } = request.account;
      const availableMicros = await findBalance(this.#options.pool, id);
      throw createBalanceError({ neededMicros: pending.charge, availableMicros, currency });
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
   * Returns null if the idempotency key is unused or expired.
   * @throws {AppError} IDEMPOTENCY_MISMATCH if the key was used for another request
   */
  replay(account: AccountRef, key: IdempotencyKey): Promise<Acceptance | null> {
    return findAcceptance(this.#options.pool, account.id, key, this.#options.clock.now());
  }

  prepare(request: SendRequest): Promise<PendingRequest> {
    return prepareSend(this.#options, request);
  }

  /**
   * Locks in the required order: first the rows that `plan` claims, then the paying accounts, then the rows that `work`
   * locks.
   */
  async acceptWithin<T, R>(
    host: AcceptingHost,
    plan: AcceptingPlan<T>,
    work: (transaction: AcceptingTransaction, claimed: T) => Promise<R>,
  ): Promise<R> {
    const refusals: unknown[] = [];
    const steps = {
      lockedAccounts: this.#options.lockedAccounts,
      timeoutMs: this.#options.timeoutMs,
      prepare: async (request: SendRequest, client: pg.PoolClient) => {
        try {
          return await prepareSend(this.#options, request, client);
        } catch (error) {
          this.tally.countRefusal(error);
          throw error;
        }
      },
      commit: async (client: pg.PoolClient, batch: readonly PendingRequest[]) => {
        const outcomes = await this.#committer.commitWithin(client, batch);
        for (const outcome of outcomes) this.tally.countRefusal(outcome);
        refusals.push(...outcomes);
        return outcomes;
      },
      findRecipientsAtLimit: (client: pg.PoolClient, batch: readonly PendingRequest[]) =>
        findRecipientsAtLimit(client, batch, this.#options.clock.now()),
      hit: (faultPoint: string) => this.#options.faults.hit(faultPoint),
      onAccepted: (accepted: readonly PendingRequest[]) => this.#announcer.announce(accepted),
    };
    const accepting = acceptWithin(steps, host, plan, work);
    if ('afterCommit' in host) return accepting;
    return accepting.finally(() => Promise.all(refusals.map((refusal) => this.#recordNewHold(refusal))));
  }

  async #recordNewHold(error: unknown): Promise<void> {
    if (!(error instanceof SendingHeld && error.newHold)) return;
    const { accountId, prefix } = error.newHold;
    const name = `${accountId} ${prefix}`;
    const recording =
      this.#pendingHolds.get(name) ?? this.#insertHold(error.newHold).finally(() => this.#pendingHolds.delete(name));
    this.#pendingHolds.set(name, recording);
    await recording;
  }

  async #insertHold(hold: NewHold): Promise<void> {
    const { pool, clock, log } = this.#options;
    try {
      if (await recordHold(pool, hold, clock.now())) this.tally.countHold(hold.reason);
    } catch (error) {
      log.warn({ err: error, accountId: hold.accountId }, 'cannot record a hold');
    }
  }

  idle(): Promise<void> {
    return this.#committer.idle();
  }
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'INSUFFICIENT_BALANCE',
  'DESTINATION_REFUSED',
  'LIMIT_REACHED',
  'SENDING_HELD',
  'FREQUENCY_CAP',
]);

class KeyTaken extends Error {}

function throwResultDeleted(error: unknown): never {
  if (!(error instanceof KeyTaken)) throw error;
  throw createDeletedResultError();
}
