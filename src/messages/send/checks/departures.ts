import type pg from 'pg';
import type { Logger } from 'pino';
import { CarrierError } from '../../../carriers/carrier-error.js';
import type { Departure } from '../../../carriers/departure.js';
import type { Clock } from '../../../platform/clock.js';
import { GroupCommit } from '../../../platform/group-commit.js';
import { type ChangedRules, type ClaimedMessage, readRules } from '../send-store.js';
import { CODE_ENDED, findObstacle, type Obstacle, type Rules } from './obstacles.js';

/** How long the data read by the claim is trusted, in milliseconds. Most messages leave in that time, without another query. */
const CLAIM_COUNTS_MS = 1_000;
/** Data read again is trusted for a shorter time: the carrier is slow, so few messages leave in it. */
const READ_COUNTS_MS = 200;
/** The next messages are read again this long before their data expires, so that none has to wait for it. */
const READ_AHEAD_MS = READ_COUNTS_MS / 2;
/** A message that waits longer between its last check and its connection is given back. */
const OLDEST_MS = 5_000;
/** Messages that one statement reads. */
const BATCH = 500;

/** Messages of one carrier that have not left yet, in the order of their claims. */
interface Line {
  waiting: Set<ClaimedDeparture>;
  isReadAhead: boolean;
}

interface DeparturesOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
}

/**
 * Checks the messages of this process again directly before they leave. Validity needs no query. Opt-outs,
 * cancellations and used codes are read again, many in one statement, for messages that were claimed more than a second ago.
 */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #lines = new Map<string, Line>();
  readonly #reads: GroupCommit<ClaimedDeparture, void>;

  constructor(options: DeparturesOptions) {
    this.#options = options;
    this.#reads = new GroupCommit<ClaimedDeparture, void>({
      commit: (asking) => this.#read(asking),
      batchWeight: BATCH,
    });
  }

  /**
   * Follows a claimed message until `close`.
   * @param claimedAt by `performance.now()`, not later than the claim
   */
  open(message: ClaimedMessage, claimedAt: number): ClaimedDeparture {
    const line = this.#lines.get(message.carrier) ?? { waiting: new Set(), isReadAhead: false };
    this.#lines.set(message.carrier, line);
    const departure = new ClaimedDeparture(message, {
      clock: this.#options.clock,
      until: claimedAt + CLAIM_COUNTS_MS,
      read: () => this.#reads.add(departure),
      leaving: (now) => {
        line.waiting.delete(departure);
        this.#readAhead(line, now);
      },
    });
    line.waiting.add(departure);
    return departure;
  }

  /** The outcome of a message is known. */
  close(message: ClaimedMessage, departure: ClaimedDeparture): void {
    const line = this.#lines.get(message.carrier);
    line?.waiting.delete(departure);
    if (line?.waiting.size === 0) this.#lines.delete(message.carrier);
  }

  #readAhead(line: Line, now: number): void {
    const [next] = line.waiting;
    if (!next || line.isReadAhead || next.until <= now || next.until > now + READ_AHEAD_MS) return;
    line.isReadAhead = true;
    const ended = () => {
      line.isReadAhead = false;
    };
    this.#reads.add(next).then(ended, ended);
  }

  /** Reads these messages, and the next ones of the same carriers as far as the batch has room. */
  async #read(asking: readonly ClaimedDeparture[]): Promise<undefined[]> {
    const batch = new Map(asking.map((departure) => [departure.message.id, departure]));
    const soon = performance.now() + READ_COUNTS_MS;
    for (const carrier of new Set(asking.map(({ message }) => message.carrier))) {
      for (const departure of this.#lines.get(carrier)?.waiting ?? []) {
        if (batch.size >= BATCH) break;
        if (departure.until < soon) batch.set(departure.message.id, departure);
      }
    }
    try {
      const changed = await readRules(this.#options.pool, [...batch.keys()]);
      const until = performance.now() + READ_COUNTS_MS;
      for (const [id, departure] of batch) departure.learn(changed.get(id) ?? null, until);
    } catch (error) {
      this.#options.log.warn(
        { err: error, messages: asking.length },
        'messages could not be checked before they leave',
      );
      throw CarrierError.notSubmitted('It could not be checked whether the message may still be sent.');
    }
    return asking.map(() => undefined);
  }
}

interface DepartureOptions {
  clock: Clock;
  /** When the data expires, by `performance.now()`. */
  until: number;
  read(): Promise<void>;
  /** The message may leave. */
  leaving(now: number): void;
}

/** The departure of one claimed message. */
export class ClaimedDeparture implements Departure {
  readonly message: ClaimedMessage;
  readonly #options: DepartureOptions;
  readonly #rules: Rules;
  #until: number;
  #isCodeUsed = false;
  #obstacle: Obstacle | null = null;

  constructor(message: ClaimedMessage, options: DepartureOptions) {
    const { validUntil, optedOut, cancelReason } = message;
    this.message = message;
    this.#options = options;
    this.#rules = { validUntil, optedOut, cancelReason };
    this.#until = options.until;
  }

  /** When the data expires, by `performance.now()`. */
  get until(): number {
    return this.#until;
  }

  /** Why it was held back; null when it was not. */
  get obstacle(): Obstacle | null {
    return this.#obstacle;
  }

  check(): Promise<void> | undefined {
    this.#requireNoObstacle();
    const now = performance.now();
    if (now < this.#until) {
      this.#options.leaving(now);
      return undefined;
    }
    return this.#options.read().then(() => {
      this.#requireNoObstacle();
      this.#options.leaving(performance.now());
    });
  }

  require(): void {
    this.#requireNoObstacle();
    if (performance.now() > this.#until + OLDEST_MS) {
      throw CarrierError.notSubmitted('The message waited too long for a connection.');
    }
  }

  /** @param rules what became of the message since it was claimed; null when nothing did */
  learn(rules: ChangedRules | null, until: number): void {
    this.#until = until;
    this.#rules.optedOut = rules?.optedOut ?? false;
    this.#rules.cancelReason = rules?.cancelReason ?? null;
    this.#isCodeUsed = rules?.isCodeUsed ?? false;
  }

  #requireNoObstacle(): void {
    const now = this.#options.clock.now();
    this.#obstacle = findObstacle(this.#rules, now) ?? (this.#hasCodeEnded(now) ? CODE_ENDED : null);
    if (this.#obstacle) throw CarrierError.withheld(this.#obstacle.errorCode, this.#obstacle.errorMessage);
  }

  #hasCodeEnded(now: Date): boolean {
    const expiresAt = this.message.code?.expiresAt;
    return this.#isCodeUsed || (typeof expiresAt === 'string' && now >= new Date(expiresAt));
  }
}
