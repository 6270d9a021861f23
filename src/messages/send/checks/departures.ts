import type pg from 'pg';
import type { Logger } from 'pino';
import { CarrierError } from '../../../carriers/carrier-error.js';
import type { Departure } from '../../../carriers/departure.js';
import type { Clock } from '../../../platform/clock.js';
import { GroupCommit } from '../../../platform/group-commit.js';
import type { MessageHours } from '../holds/message-hours.js';
import { type ChangedRules, type ClaimedMessage, readRules } from '../send-store.js';
import { CODE_ENDED, findObstacle, type Obstacle, QUIET_HOURS, type Rules } from './obstacles.js';

/** Data read with the claim stays fresh this long, so most messages leave without another query. */
const CLAIM_FRESH_MS = 1_000;
/** Re-read data stays fresh for a shorter time, because a carrier that needs re-reads is slow. */
const READ_FRESH_MS = 200;
/** Data of the next messages is re-read this long before it expires, so that no message has to wait. */
const READ_AHEAD_MS = READ_FRESH_MS / 2;
/** A message is not submitted if it waits longer than this for a connection after its last check. */
const MAX_AGE_MS = 5_000;
/** Maximum messages per query. */
const BATCH_MESSAGES = 500;

/** In claim order. */
interface CarrierLine {
  waiting: Set<ClaimedDeparture>;
  isReadAhead: boolean;
}

interface DeparturesOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
}

/** Rechecks messages directly before they leave. Opt-outs, cancellations and used codes are re-read in batches. */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #lines = new Map<string, CarrierLine>();
  readonly #reads: GroupCommit<ClaimedDeparture, void>;
  /** All messages share this object, so that no message needs its own closures. */
  readonly #control: DepartureControl;

  constructor(options: DeparturesOptions) {
    this.#options = options;
    this.#control = {
      clock: options.clock,
      read: (departure) => this.#reads.add(departure),
      onLeave: (departure, line, now) => this.#onLeave(departure, line, now),
    };
    this.#reads = new GroupCommit<ClaimedDeparture, void>({
      commit: (requested) => this.#read(requested),
      batchWeight: BATCH_MESSAGES,
    });
  }

  /**
   * Tracks a claimed message until `close` is called.
   * @param claimedAt by `performance.now()`, not later than the claim
   * @param hours the message's quiet hours, or null if none apply
   */
  open(message: ClaimedMessage, claimedAt: number, hours: MessageHours | null = null): ClaimedDeparture {
    const line = this.#lines.get(message.carrier) ?? { waiting: new Set(), isReadAhead: false };
    this.#lines.set(message.carrier, line);
    const departure = new ClaimedDeparture(message, this.#control, line, claimedAt + CLAIM_FRESH_MS, hours);
    line.waiting.add(departure);
    return departure;
  }

  #onLeave(departure: ClaimedDeparture, line: CarrierLine, now: number): void {
    line.waiting.delete(departure);
    this.#readAhead(line, now);
  }

  close(message: ClaimedMessage, departure: ClaimedDeparture): void {
    const line = this.#lines.get(message.carrier);
    line?.waiting.delete(departure);
    if (line?.waiting.size === 0) this.#lines.delete(message.carrier);
  }

  #readAhead(line: CarrierLine, now: number): void {
    const [next] = line.waiting;
    if (!next || line.isReadAhead || next.until <= now || next.until > now + READ_AHEAD_MS) return;
    line.isReadAhead = true;
    const finish = () => {
      line.isReadAhead = false;
    };
    this.#reads.add(next).then(finish, finish);
  }

  async #read(requested: readonly ClaimedDeparture[]): Promise<undefined[]> {
    const batch = new Map(requested.map((departure) => [departure.message.id, departure]));
    const refreshBefore = performance.now() + READ_FRESH_MS;
    for (const carrier of new Set(requested.map(({ message }) => message.carrier))) {
      for (const departure of this.#lines.get(carrier)?.waiting ?? []) {
        if (batch.size >= BATCH_MESSAGES) break;
        if (departure.until < refreshBefore) batch.set(departure.message.id, departure);
      }
    }
    try {
      const changed = await readRules(this.#options.pool, [...batch.keys()]);
      const until = performance.now() + READ_FRESH_MS;
      for (const [id, departure] of batch) departure.update(changed.get(id) ?? null, until);
    } catch (error) {
      this.#options.log.warn({ err: error, messages: requested.length }, 'cannot recheck messages before they leave');
      throw CarrierError.notSubmitted('Could not check whether the message may still be sent.');
    }
    return requested.map(() => undefined);
  }
}

interface DepartureControl {
  clock: Clock;
  read(departure: ClaimedDeparture): Promise<void>;
  onLeave(departure: ClaimedDeparture, line: CarrierLine, now: number): void;
}

export class ClaimedDeparture implements Departure {
  readonly message: ClaimedMessage;
  readonly #control: DepartureControl;
  readonly #line: CarrierLine;
  /** Rules as read with the claim, until they are re-read. */
  #rules: Rules;
  #until: number;
  #isCodeUsed = false;
  #obstacle: Obstacle | null = null;
  readonly #hours: MessageHours | null;
  #isQuiet = false;

  /** @param until time by `performance.now()` from which the rules are re-read */
  constructor(
    message: ClaimedMessage,
    control: DepartureControl,
    line: CarrierLine,
    until: number,
    hours: MessageHours | null = null,
  ) {
    this.#hours = hours;
    this.message = message;
    this.#control = control;
    this.#line = line;
    this.#rules = message;
    this.#until = until;
  }

  get until(): number {
    return this.#until;
  }

  get obstacle(): Obstacle | null {
    return this.#obstacle;
  }

  /** Whether it was quiet at the last check. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  check(): Promise<void> | undefined {
    this.#requireNoObstacle();
    const now = performance.now();
    if (now < this.#until) {
      this.#control.onLeave(this, this.#line, now);
      return undefined;
    }
    return this.#control.read(this).then(() => {
      this.#requireNoObstacle();
      this.#control.onLeave(this, this.#line, performance.now());
    });
  }

  require(): void {
    this.#requireNoObstacle();
    if (performance.now() > this.#until + MAX_AGE_MS) {
      throw CarrierError.notSubmitted('The message waited too long for a connection.');
    }
  }

  /** @param rules changes since the claim */
  update(rules: ChangedRules | null, until: number): void {
    this.#until = until;
    this.#rules = {
      validUntil: this.message.validUntil,
      optedOut: rules?.optedOut ?? false,
      cancelReason: rules?.cancelReason ?? null,
    };
    this.#isCodeUsed = rules?.isCodeUsed ?? false;
  }

  #requireNoObstacle(): void {
    const now = this.#control.clock.now();
    this.#obstacle = findObstacle(this.#rules, now) ?? (this.#hasCodeEnded(now) ? CODE_ENDED : null);
    if (this.#obstacle) throw CarrierError.withheld(this.#obstacle.errorCode, this.#obstacle.errorMessage);
    this.#isQuiet = this.#hours !== null && !this.#hours.isOpen(now);
    if (this.#isQuiet) throw CarrierError.withheld(QUIET_HOURS.errorCode, QUIET_HOURS.errorMessage);
  }

  #hasCodeEnded(now: Date): boolean {
    const expiresAt = this.message.code?.expiresAt;
    return this.#isCodeUsed || (typeof expiresAt === 'string' && now >= new Date(expiresAt));
  }
}
