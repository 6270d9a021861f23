import { setTimeout as pause } from 'node:timers/promises';
import type { HeldAccounts } from '../../accounts/held-accounts.js';
import type { KeyedWorkOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { Listeners } from '../../platform/listeners.js';
import { isTransient } from '../../platform/store/failures.js';
import { untilKnown } from '../../platform/store/repeat.js';
import type { SpanStart, Traces } from '../../platform/tracing/traces.js';
import { type Ended, endFreeMessages } from './end-free.js';
import type { EndEvent, ReceiptEvent, RetryEvent, SentEvent, StatusEvent } from './events.js';
import { HeldEnds } from './held-ends.js';
import { insertParts, type TakenParts } from './part-store.js';
import { replaceFailures } from './replace-failures-store.js';
import { foldProgress, type Progress, toRounds } from './status.js';
import { applyProgress, insertReferences, type MovedMessage, scheduleRetries } from './status-store.js';
import { StatusTally } from './status-tally.js';

/** Events that join one statement; more only makes the row locks last longer. */
const BATCH_EVENTS = 1_000;
const REPEAT_PAUSE_MS = 200;
/**
 * Where so many events come at a time, the next statement waits for more of them: it then costs PostgreSQL half as much a
 * message, and what is known together is written together. A server with less to do never waits.
 */
const BUSY_EVENTS = 50;
const BUSY_PAUSE_MS = 20;

/** How long a stopping process still tries to write the events of locked accounts, in milliseconds. */
const LAST_ENDS_MS = 2_000;

export interface StatusWriterOptions extends KeyedWorkOptions {
  clock: Clock;
  held: HeldAccounts;
  /** Of the receipts of messages whose request was traced; left out where nothing is. */
  traces?: Traces | null;
}

export interface WriteOptions {
  atOnce?: boolean;
  onHeld?: () => void;
}

/** The result of an event whose account another transaction has locked. */
class WaitsFor {
  constructor(readonly accountId: string) {}
}

const NONE_ENDED: Ended = { ids: new Set(), waiting: new Map() };

/**
 * Writes what happened to messages, in batches. All events of a process pass through it in order, so a receipt that
 * follows its submission finds the message `sent`.
 */
export class StatusWriter {
  /** Told of the messages that were marked sent, after their commit. */
  readonly sent = new Listeners<readonly SentEvent[]>();
  /** Told of the messages whose send has its result, after their commit. */
  readonly results = new Listeners<readonly (SentEvent | EndEvent)[]>();
  /** Told whose messages a commit moved, by the ids of their accounts. */
  readonly changed = new Listeners<ReadonlySet<string>>();
  /** Of what it wrote. */
  readonly tally = new StatusTally();
  readonly #options: StatusWriterOptions;
  readonly #commits: GroupCommit<StatusEvent, boolean | WaitsFor>;
  /** Ends the messages of locked accounts. */
  readonly #heldEnds: HeldEnds;
  #stopping = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#heldEnds = new HeldEnds({
      ...options,
      isStopping: () => this.#stopping,
      onEnded: (events, ids, accounts) => {
        this.changed.tell(accounts);
        this.results.tell(this.#countEnded(events, ids));
      },
    });
    this.#commits = new GroupCommit<StatusEvent, boolean | WaitsFor>({
      commit: (batch) => this.#commit(batch),
      // The line has no limit: refusing an event would lose what a carrier said.
      batchWeight: BATCH_EVENTS,
      pauseMs: BUSY_PAUSE_MS,
      pauseFromWeight: BUSY_EVENTS,
    });
  }

  /** Of its group commit, for those who watch. */
  get groups() {
    return { status: this.#commits };
  }

  /**
   * Resolves once the event is committed: true when it moved the message, false when it was void, late or early.
   * While the store is away it waits; it rejects only when the process stops in the meantime.
   * @param options.atOnce for what somebody may wait for: a busy writer then gathers no longer
   * @param options.onHeld called when the event waits in memory for a locked account, so that the caller can go on with other
   *   messages. It is not called while too many events wait: then the caller waits too.
   */
  async write(event: StatusEvent, { atOnce = false, onHeld }: WriteOptions = {}): Promise<boolean> {
    const written = await this.#commits.add(event, { atOnce });
    if (!(written instanceof WaitsFor)) return written;
    return this.#heldEnds.write(event as EndEvent, written.accountId, onHeld);
  }

  /** Writes what waits, and from then on no longer waits for a store that is away. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#commits.idle();
    await Promise.race([this.#heldEnds.idle(), pause(LAST_ENDS_MS, undefined, { ref: false })]);
    this.#heldEnds.giveUp();
    await this.#heldEnds.idle();
  }

  async #commit(batch: readonly StatusEvent[]): Promise<(boolean | WaitsFor | Error)[]> {
    try {
      // Repeating it is safe: what was committed no longer fulfils its own condition, so it is not done twice. It then
      // only counts as not moved.
      return await untilKnown(() => this.#apply(batch), {
        pauseMs: REPEAT_PAUSE_MS,
        isStopping: () => this.#stopping,
        onFailure: (error) => this.#options.log.warn({ err: error }, 'statuses wait for the store'),
      });
    } catch (error) {
      if (batch.length === 1) {
        const [event] = batch as [StatusEvent];
        this.#options.log.error(
          { err: error, event: event.type, messageId: event.id },
          'a status could not be written',
        );
        const bare = isTransient(error) ? null : withoutIds(event);
        return bare ? this.#commit([bare]) : [error as Error];
      }
      const results: (boolean | WaitsFor | Error)[] = [];
      for (const event of batch) results.push(...(await this.#commit([event])));
      return results;
    }
  }

  async #apply(batch: readonly StatusEvent[]): Promise<(boolean | WaitsFor)[]> {
    const { pool, clock, held } = this.#options;
    const began = clock.now().getTime();
    const forward: (SentEvent | ReceiptEvent)[] = [];
    const retries: RetryEvent[] = [];
    const ends: EndEvent[] = [];
    for (const event of batch) {
      if (event.type === 'retry') retries.push(event);
      else if (event.type === 'end') ends.push(event);
      else forward.push(event);
    }
    const sent = forward.filter((event): event is SentEvent => event.type === 'sent');
    const references = sent.filter((event) => event.needsReference);
    if (references.length > 0) await insertReferences(pool, references);
    const taken = batch.flatMap(takenParts);
    if (taken.length > 0) await insertParts(pool, taken);
    const accounts = new Set<string>();
    const progress = foldProgress(forward);
    const nothing = Promise.resolve(new Set<string>());
    const [moved, retried, ended] = await Promise.all([
      this.#applyProgress(progress, accounts),
      retries.length > 0 ? scheduleRetries(pool, retries, clock.now()) : nothing,
      ends.length > 0 ? endFreeMessages({ pool, held, now: clock.now() }, ends, accounts) : NONE_ENDED,
    ]);
    for (const [each, message] of moved) this.tally.moved(each, message);
    this.tally.retried(retried.size);
    if (accounts.size > 0) this.changed.tell(accounts);
    const marked = [...moved.keys()].flatMap(({ sent: event }) => event ?? []);
    if (marked.length > 0) this.sent.tell(marked);
    const over = this.#countEnded(ends, ended.ids);
    this.results.tell([...marked, ...over]);
    const movedBy = new Map<StatusEvent, MovedMessage>();
    for (const [{ events }, message] of moved) for (const event of events) movedBy.set(event, message);
    const moves = batch.map((event) => {
      if (event.type === 'retry') return retried.has(event.id);
      return event.type === 'end' ? ended.ids.has(event.id) : movedBy.has(event);
    });
    this.#tell(batch, moves, movedBy);
    this.#trace(forward, movedBy, began);
    return batch.map((event, index) => {
      const accountId = event.type === 'end' ? ended.waiting.get(event.id) : undefined;
      return accountId === undefined ? (moves[index] as boolean) : new WaitsFor(accountId);
    });
  }

  #countEnded(events: readonly EndEvent[], ids: ReadonlySet<string>): EndEvent[] {
    const over = events.filter((event) => ids.has(event.id));
    for (const event of over) this.tally.ended(event);
    return over;
  }

  /**
   * One statement applies everything, unless several attempts of one message were reported on, or a report that moved nothing
   * may replace a failure.
   */
  async #applyProgress(progress: readonly Progress[], accounts: Set<string>): Promise<Map<Progress, MovedMessage>> {
    const { pool, log, clock } = this.#options;
    const moved = new Map<Progress, MovedMessage>();
    for (const round of toRounds(progress)) {
      const isDebug = log.isLevelEnabled('debug');
      const rows = await applyProgress(pool, round, clock.now(), accounts, isDebug);
      const left = round.filter(({ id, sent, overridesFailure }) => overridesFailure && sent === null && !rows.has(id));
      if (left.length > 0) {
        for (const row of await replaceFailures(pool, left, clock.now(), accounts, isDebug)) rows.set(...row);
      }
      for (const each of round) {
        const message = rows.get(each.id);
        if (message) moved.set(each, message);
      }
    }
    return moved;
  }

  /** A line for each event at the level debug, by which a message is followed. */
  #tell(
    batch: readonly StatusEvent[],
    moves: readonly boolean[],
    movedBy: ReadonlyMap<StatusEvent, MovedMessage>,
  ): void {
    const { log } = this.#options;
    if (!log.isLevelEnabled('debug')) return;
    for (const [index, event] of batch.entries()) {
      const requestId = (event.type === 'receipt' ? movedBy.get(event) : event)?.requestId ?? undefined;
      const said = { messageId: event.id, requestId, event: event.type, ...shown(event), moved: moves[index] };
      log.debug(said, 'a status was written');
    }
  }

  /** A span for each receipt that moved a message whose request was traced. */
  #trace(
    events: readonly (SentEvent | ReceiptEvent)[],
    movedBy: ReadonlyMap<StatusEvent, MovedMessage>,
    startedAt: number,
  ): void {
    const { traces } = this.#options;
    if (!traces) return;
    for (const event of events) {
      const parent = event.type === 'receipt' ? movedBy.get(event)?.traceparent : null;
      if (parent) traces.begin(receiptSpan(event as ReceiptEvent, parent, startedAt)).end();
    }
  }
}

function receiptSpan({ id, status }: ReceiptEvent, parent: string, startedAt: number): SpanStart {
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

/** What a log tells of an event beside its type and its message; the error's text may quote the message's. */
function shown(event: StatusEvent): object {
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
 * A message that was taken, without the ids that cannot be written; null where there are none to leave out. No receipt will
 * find it, but to send it again would be worse.
 */
function withoutIds(event: StatusEvent): SentEvent | null {
  if (event.type !== 'sent' || !(event.needsReference || event.parts)) return null;
  const { parts: _, ...bare } = event;
  return { ...bare, carrierMessageId: `none-${event.id}`, needsReference: false };
}

function takenParts(event: StatusEvent): TakenParts[] {
  if (event.type === 'receipt') return [];
  const { id, attempt } = event;
  if (event.type === 'sent') return event.parts ? [{ id, attempt, carrier: event.carrier, parts: event.parts }] : [];
  return event.taken ? [{ id, attempt, ...event.taken }] : [];
}
