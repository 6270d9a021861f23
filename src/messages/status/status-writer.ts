import { setTimeout as pause } from 'node:timers/promises';
import type { LockedAccounts } from '../../accounts/locked-accounts.js';
import type { BackgroundStoreOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { Listeners } from '../../platform/listeners.js';
import { isTransient } from '../../platform/store/failures.js';
import { retryUntilKnown } from '../../platform/store/repeat.js';
import type { SpanStart, Traces } from '../../platform/tracing/traces.js';
import { DeferredEnds } from './deferred-ends.js';
import { type EndResult, endUnlockedMessages } from './end-unlocked.js';
import type { EndEvent, ReceiptEvent, RetryEvent, SentEvent, StatusEvent } from './events.js';
import { type AcceptedParts, insertParts } from './part-store.js';
import { replaceFailures } from './replace-failures-store.js';
import { foldProgress, type Progress, toRounds } from './status.js';
import { applyProgress, insertReferences, type MovedMessage, scheduleRetries } from './status-store.js';
import { StatusTally } from './status-tally.js';

/** Maximum events per batch, because larger batches only hold row locks longer. */
const BATCH_EVENTS = 1_000;
const RETRY_PAUSE_MS = 200;
/**
 * After a batch of at least this size, the next statement waits briefly for more events, which halves PostgreSQL's
 * cost.
 */
const BUSY_EVENTS = 50;
const BUSY_PAUSE_MS = 20;

const LAST_ENDS_TIMEOUT_MS = 2_000;

export interface StatusWriterOptions extends BackgroundStoreOptions {
  clock: Clock;
  lockedAccounts: LockedAccounts;
  traces?: Traces | null;
}

export interface WriteOptions {
  /** Whether to write the event immediately instead of waiting for more events, because a caller is waiting. */
  atOnce?: boolean;
  /**
   * Called when the event waits in memory for a locked account, so that the caller can continue. If too many events wait, the
   * function is not called, so that the caller waits too.
   */
  onDeferred?: () => void;
}

class DeferredEnd {
  constructor(readonly accountId: string) {}
}

const NONE_ENDED: EndResult = { ids: new Set(), deferred: new Map() };

/**
 * All status events of a process pass through this class in order, so a receipt is written after the message has been marked
 * sent.
 */
export class StatusWriter {
  readonly sent = new Listeners<readonly SentEvent[]>();
  readonly results = new Listeners<readonly (SentEvent | EndEvent)[]>();
  readonly changed = new Listeners<ReadonlySet<string>>();
  readonly tally = new StatusTally();
  readonly #options: StatusWriterOptions;
  readonly #commits: GroupCommit<StatusEvent, boolean | DeferredEnd>;
  readonly #deferredEnds: DeferredEnds;
  #stopping = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#deferredEnds = new DeferredEnds({
      ...options,
      isStopping: () => this.#stopping,
      onEnded: (events, ids, accounts) => {
        this.changed.notify(accounts);
        this.results.notify(this.#countEnded(events, ids));
      },
    });
    this.#commits = new GroupCommit<StatusEvent, boolean | DeferredEnd>({
      commit: (batch) => this.#commit(batch),
      // The number of waiting events is not limited (`waitingLimit`), because refusing an event would lose a carrier's report.
      batchWeight: BATCH_EVENTS,
      pauseMs: BUSY_PAUSE_MS,
      pauseFromWeight: BUSY_EVENTS,
    });
  }

  get groups() {
    return { status: this.#commits };
  }

  /**
   * Waits while PostgreSQL is unavailable, and rejects only if the process stops.
   * @returns whether the event changed the message's status; `judgeReceipts` finds out why not
   */
  write(event: StatusEvent, { atOnce = false, onDeferred }: WriteOptions = {}): Promise<boolean> {
    const written = this.#commits.add(event, { atOnce });
    // Only an event that ends a message can cause a refund, so only such an event needs the account.
    if (event.type !== 'end') return written as Promise<boolean>;
    return written.then((result) =>
      result instanceof DeferredEnd ? this.#deferredEnds.write(event, result.accountId, onDeferred) : result,
    );
  }

  async close(): Promise<void> {
    this.#stopping = true;
    await this.#commits.waitUntilIdle();
    await Promise.race([this.#deferredEnds.idle(), pause(LAST_ENDS_TIMEOUT_MS, undefined, { ref: false })]);
    this.#deferredEnds.giveUp();
    await this.#deferredEnds.idle();
  }

  async #commit(batch: readonly StatusEvent[]): Promise<(boolean | DeferredEnd | Error)[]> {
    try {
      // Repeating the batch is safe, because the statements do not match messages that they have already changed.
      return await retryUntilKnown(() => this.#writeBatch(batch), {
        pauseMs: RETRY_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) => this.#options.log.warn({ err: error }, 'cannot write statuses, retrying'),
      });
    } catch (error) {
      if (batch.length === 1) {
        const [event] = batch as [StatusEvent];
        this.#options.log.error({ err: error, event: event.type, messageId: event.id }, 'cannot write a status');
        const storable = isTransient(error) ? null : removeCarrierIds(event);
        return storable ? this.#commit([storable]) : [error as Error];
      }
      const results: (boolean | DeferredEnd | Error)[] = [];
      for (const event of batch) results.push(...(await this.#commit([event])));
      return results;
    }
  }

  async #writeBatch(batch: readonly StatusEvent[]): Promise<(boolean | DeferredEnd)[]> {
    const { pool, clock, lockedAccounts } = this.#options;
    const startedAt = clock.now().getTime();
    const progressEvents: (SentEvent | ReceiptEvent)[] = [];
    const retries: RetryEvent[] = [];
    const ends: EndEvent[] = [];
    for (const event of batch) {
      if (event.type === 'retry') retries.push(event);
      else if (event.type === 'end') ends.push(event);
      else progressEvents.push(event);
    }
    const references = progressEvents.filter(
      (event): event is SentEvent => event.type === 'sent' && event.needsReference,
    );
    if (references.length > 0) await insertReferences(pool, references);
    const acceptedParts = listAcceptedParts(batch);
    if (acceptedParts.length > 0) await insertParts(pool, acceptedParts);
    const accounts = new Set<string>();
    const progress = foldProgress(progressEvents);
    const noRetries = Promise.resolve(new Set<string>());
    const [movedMessages, retriedIds, endResult] = await Promise.all([
      this.#applyProgress(progress, accounts),
      retries.length > 0 ? scheduleRetries(pool, retries, clock.now()) : noRetries,
      ends.length > 0 ? endUnlockedMessages({ pool, lockedAccounts, now: clock.now() }, ends, accounts) : NONE_ENDED,
    ]);
    for (const [each, message] of movedMessages) this.tally.countMoved(each, message);
    this.tally.countRetries(retriedIds.size);
    if (accounts.size > 0) this.changed.notify(accounts);
    const sentEvents: SentEvent[] = [];
    const messageByEvent = new Map<StatusEvent, MovedMessage>();
    for (const [{ sent, events }, message] of movedMessages) {
      if (sent) sentEvents.push(sent);
      for (const event of events) messageByEvent.set(event, message);
    }
    if (sentEvents.length > 0) this.sent.notify(sentEvents);
    const endedEvents = this.#countEnded(ends, endResult.ids);
    this.results.notify([...sentEvents, ...endedEvents]);
    const moves = batch.map((event) => {
      if (event.type === 'retry') return retriedIds.has(event.id);
      return event.type === 'end' ? endResult.ids.has(event.id) : messageByEvent.has(event);
    });
    this.#logEvents(batch, moves, messageByEvent);
    this.#recordSpans(progressEvents, messageByEvent, startedAt);
    if (endResult.deferred.size === 0) return moves;
    return batch.map((event, index) => {
      const accountId = event.type === 'end' ? endResult.deferred.get(event.id) : undefined;
      return accountId === undefined ? (moves[index] as boolean) : new DeferredEnd(accountId);
    });
  }

  #countEnded(events: readonly EndEvent[], ids: ReadonlySet<string>): EndEvent[] {
    const endedEvents = events.filter((event) => ids.has(event.id));
    for (const event of endedEvents) this.tally.countEnded(event);
    return endedEvents;
  }

  async #applyProgress(progress: readonly Progress[], accounts: Set<string>): Promise<Map<Progress, MovedMessage>> {
    const { pool, log, clock } = this.#options;
    const messages = new Map<Progress, MovedMessage>();
    for (const round of toRounds(progress)) {
      const isDebug = log.isLevelEnabled('debug');
      const rows = await applyProgress(pool, round, clock.now(), accounts, isDebug);
      const unapplied = round.filter(
        ({ id, sent, overridesFailure }) => overridesFailure && sent === null && !rows.has(id),
      );
      if (unapplied.length > 0) {
        for (const row of await replaceFailures(pool, unapplied, clock.now(), accounts, isDebug)) rows.set(...row);
      }
      for (const each of round) {
        const message = rows.get(each.id);
        if (message) messages.set(each, message);
      }
    }
    return messages;
  }

  #logEvents(
    batch: readonly StatusEvent[],
    moves: readonly boolean[],
    messageByEvent: ReadonlyMap<StatusEvent, MovedMessage>,
  ): void {
    const { log } = this.#options;
    if (!log.isLevelEnabled('debug')) return;
    for (const [index, event] of batch.entries()) {
      const requestId = (event.type === 'receipt' ? messageByEvent.get(event) : event)?.requestId ?? undefined;
      const fields = { messageId: event.id, requestId, event: event.type, ...toLogFields(event), moved: moves[index] };
      log.debug(fields, 'wrote a status');
    }
  }

  #recordSpans(
    events: readonly (SentEvent | ReceiptEvent)[],
    messageByEvent: ReadonlyMap<StatusEvent, MovedMessage>,
    startedAt: number,
  ): void {
    const { traces } = this.#options;
    if (!traces) return;
    for (const event of events) {
      const parent = event.type === 'receipt' ? messageByEvent.get(event)?.traceparent : null;
      if (parent) traces.startSpan(toReceiptSpan(event as ReceiptEvent, parent, startedAt)).end();
    }
  }
}

function toReceiptSpan({ id, status }: ReceiptEvent, parent: string, startedAt: number): SpanStart {
  return {
    name: 'process receipt',
    kind: 'consumer',
    parent,
    startedAt,
    attributes: {
      'messaging.system': 'heliograph',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'receipt',
      'messaging.message.id': id,
      'heliograph.message.outcome': status,
    },
  };
}

/** Leaves out the error text, because it may quote the message. */
function toLogFields(event: StatusEvent): object {
  switch (event.type) {
    case 'sent':
      return { attempt: event.attempt, carrier: event.carrier, carrierMessageId: event.carrierMessageId };
    case 'receipt':
      return { status: event.status, errorCode: event.errorCode };
    case 'retry':
      return { attempt: event.attempt, errorCode: event.errorCode, retryInMs: Math.round(event.delayMs) };
    case 'end':
      return { attempt: event.attempt, status: event.status, errorCode: event.errorCode };
  }
}

/**
 * Removes the carrier IDs from an event whose IDs PostgreSQL cannot store, or returns null if the event has no such IDs.
 * Receipts cannot find a message without carrier IDs, but sending the message again would be worse.
 */
function removeCarrierIds(event: StatusEvent): SentEvent | null {
  if (event.type !== 'sent' || !(event.needsReference || event.parts)) return null;
  const { parts: _, ...stripped } = event;
  return { ...stripped, carrierMessageId: `none-${event.id}`, needsReference: false };
}

function listAcceptedParts(batch: readonly StatusEvent[]): AcceptedParts[] {
  const accepted: AcceptedParts[] = [];
  for (const event of batch) {
    if (event.type === 'receipt') continue;
    const { id, attempt } = event;
    if (event.type !== 'sent') {
      if (event.acceptedParts) accepted.push({ id, attempt, ...event.acceptedParts });
    } else if (event.parts) {
      accepted.push({ id, attempt, carrier: event.carrier, parts: event.parts });
    }
  }
  return accepted;
}
