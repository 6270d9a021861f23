import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '../../platform/background/backoff.js';
import { StartError } from '../../platform/errors/start-error.js';
import { withTimeout } from '../../platform/timeout.js';
import type { Logger } from '../logger.js';
import { STORE_AWAY } from '../refuse.js';
import type { Member, OpenOrder } from './orders.js';
import { type Exit, howOf, MemberProcess } from './process.js';

/** A process that ends more often than this within a minute ends the whole: whatever ends it is not mended by another. */
const MAX_DEATHS = 5;
const DEATHS_MS = 60_000;
const LONGEST_PAUSE_MS = 4_000;
/** Between two tries of a process whose store is away: nobody is to be blamed for it. */
const STORE_PAUSE_MS = 2_000;
/** The same for one that refuses its settings, which an operator may be mending: from the first to the longest pause. */
const REFUSED_PAUSES = { firstMs: 1_000, longestMs: 30_000 };
/** Seconds after which a process that says nothing hangs. */
const SILENT_SECONDS = 30;
/** Seconds after which one hangs that says that it lives and does not come to do its work: a disk may not answer. */
const STARTING_SECONDS = 300;
/** What is left to close when the processes have had their time, in milliseconds. */
const KILL_AFTER_MS = 500;

export interface MembersOptions {
  plan: readonly Member[];
  log: Logger;
  /** What a process is told when it starts. */
  orderFor(member: Member): OpenOrder;
  /** Milliseconds that a process has for its end. */
  timeoutMs: number;
  /** Seconds that a process has until it does its work; 300 unless told. */
  startingSeconds?: number;
  /** Told when the whole cannot go on. */
  onLost(error: Error): void;
  /** Told of each that has ended, e.g. to keep what it had counted. */
  onExit(process: MemberProcess): void;
}

/** A place of the plan, and who fills it. */
interface Slot {
  member: Member;
  process: MemberProcess | null;
  /** When processes in it ended that should not have, within the last minute. */
  deaths: number[];
  /** How many in a row ended by themselves before they did any work. */
  refusals: number;
  /** Whether a restart one by one is at it. */
  isRestarting: boolean;
}

/** The processes of a start: whoever dies is replaced, and all are restarted one by one or ended together. */
export class Members {
  /** Processes that ended though nobody had asked them to. */
  deaths = 0;
  readonly #options: MembersOptions;
  readonly #slots: Slot[];
  readonly #living = new Set<MemberProcess>();
  readonly #beat: NodeJS.Timeout;
  #isEnding = false;
  #started: Promise<unknown> | null = null;
  #restarting: Promise<void> | null = null;
  #wantsAnother = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#slots = options.plan.map((member) => ({
      member,
      process: null,
      deaths: [],
      refusals: 0,
      isRestarting: false,
    }));
    this.#beat = setInterval(() => this.#listen(), 1_000);
  }

  /** Those that live, also such as begin or end. */
  get living(): readonly MemberProcess[] {
    return [...this.#living];
  }

  /** How many do their work. */
  get ready(): number {
    return this.#slots.filter(({ process }) => process?.isReady).length;
  }

  /**
   * Starts the first one, and the others once that is ready: what keeps it from starting is told once.
   * @returns the address that they listen on; null where none does
   * @throws {StartError} when one does not start
   */
  start(): Promise<string | null> {
    const starting = this.#startAll();
    this.#started = starting.catch(() => undefined);
    return starting;
  }

  async #startAll(): Promise<string | null> {
    const begin = async (slot: Slot) => {
      if (this.#isEnding) throw new Error('the whole is ended');
      slot.process = this.#fork(slot.member);
      return slot.process.ready;
    };
    try {
      const [first, ...others] = this.#slots;
      const addresses = [first ? await begin(first) : null, ...(await Promise.all(others.map(begin)))];
      for (const slot of this.#slots) this.#watch(slot, slot.process as MemberProcess);
      this.#tellSiblings();
      return addresses.find((address) => address !== null) ?? null;
    } catch (error) {
      await this.end('a process did not start');
      throw new StartError(`${(error as Error).message}. Why, it has said above.`, { cause: error });
    }
  }

  /**
   * Puts new processes in the place of all, one after the other. One that serves is there before the one before it
   * ends; one that sends comes after it, so that no carrier sees the binds of both. During a start it waits for that.
   */
  restart(): Promise<void> {
    this.#wantsAnother = this.#restarting !== null;
    this.#restarting ??= this.#restartAfterStart().finally(() => {
      this.#restarting = null;
      if (this.#wantsAnother && !this.#isEnding) void this.restart();
    });
    return this.#restarting;
  }

  /** Lets all finish what is under way, and waits for their end; may be called again. */
  async end(why: string): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#beat);
    this.#tellSiblings();
    await Promise.all(this.living.map((process) => this.#endOne(process, why, false)));
  }

  async #restartAfterStart(): Promise<void> {
    await this.#started;
    if (!this.#isEnding) await this.#restartAll();
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    log.info('the processes are restarted one by one');
    // Those first whose new process is there before the old one ends: what it refuses ends nothing then.
    const isServing = ({ member }: Slot) => member.role === 'api';
    for (const slot of [...this.#slots.filter(isServing), ...this.#slots.filter((each) => !isServing(each))]) {
      if (this.#isEnding) return;
      slot.isRestarting = true;
      try {
        await (slot.member.role === 'api' ? this.#renew(slot) : this.#restartOne(slot));
      } catch (error) {
        if (!this.#isEnding) {
          log.error({ err: error }, 'a process could not be restarted: those that run go on as they are');
        }
        return;
      } finally {
        slot.isRestarting = false;
        const { process } = slot;
        if (process?.hasExited) void this.#replace(slot, process, await process.exited);
      }
    }
    log.info('every process was restarted');
  }

  async #renew(slot: Slot): Promise<void> {
    const old = slot.process;
    const next = this.#fork(slot.member);
    await next.ready;
    slot.process = next;
    this.#watch(slot, next);
    this.#tellSiblings();
    if (old) await this.#endOne(old, 'Another process takes its place', true);
  }

  async #restartOne(slot: Slot): Promise<void> {
    if (slot.process) await this.#endOne(slot.process, 'Another process takes its place', slot.member.listens);
    if (this.#isEnding) return;
    const next = this.#fork(slot.member);
    slot.process = next;
    this.#watch(slot, next);
    await next.ready;
    this.#tellSiblings();
  }

  #fork(member: Member): MemberProcess {
    const process = new MemberProcess(this.#options.orderFor(member));
    this.#living.add(process);
    void process.exited.then(() => {
      this.#living.delete(process);
      this.#options.onExit(process);
    });
    return process;
  }

  #watch(slot: Slot, process: MemberProcess): void {
    void process.exited.then((exit) => {
      this.#tellSiblings();
      if (slot.process === process && !slot.isRestarting) void this.#replace(slot, process, exit);
    });
  }

  /** Puts another in the place of one that has ended, unless that has been done already. */
  async #replace(slot: Slot, ended: MemberProcess | null, exit: Exit): Promise<void> {
    if (this.#isEnding) return;
    const { log, onLost } = this.#options;
    const { number } = slot.member;
    const how = howOf(exit);
    if (exit.code === STORE_AWAY) {
      log.warn(`process ${number} waits for the store`);
      await this.#fill(slot, ended, STORE_PAUSE_MS);
      return;
    }
    if (ended?.wasReady && !exit.failure) slot.refusals = 0;
    else if (exit.signal === null) {
      // Its settings may be wrong, of which it has said more, and the others go on with theirs: that is no reason to end them.
      slot.refusals += 1;
      const pauseMs = backoffMs(slot.refusals, REFUSED_PAUSES);
      log.error(`process ${number} did not start, and ended with ${how}: it is tried again in ${pauseMs / 1_000} s`);
      await this.#fill(slot, ended, pauseMs);
      return;
    }
    const now = performance.now();
    slot.deaths = [...slot.deaths.filter((at) => now - at < DEATHS_MS), now];
    this.deaths += 1;
    const times = slot.deaths.length;
    if (times > MAX_DEATHS) {
      onLost(new StartError(`Process ${number} ended ${times} times within a minute, at last with ${how}.`));
      return;
    }
    log.error(
      { ended: number, code: exit.code, signal: exit.signal },
      `process ${number} ended with ${how}: starting another`,
    );
    await this.#fill(slot, ended, times === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 250 * 2 ** times));
  }

  async #fill(slot: Slot, ended: MemberProcess | null, afterMs: number): Promise<void> {
    await pause(afterMs);
    // A restart one by one may be at it meanwhile, or have been.
    if (this.#isEnding || slot.isRestarting || slot.process !== ended) return;
    let next: MemberProcess;
    try {
      next = this.#fork(slot.member);
    } catch (failure) {
      await this.#replace(slot, ended, { code: null, signal: null, failure: failure as Error });
      return;
    }
    slot.process = next;
    this.#watch(slot, next);
    await next.ready.then(
      () => {
        this.#options.log.info(`process ${slot.member.number} is there again`);
        this.#tellSiblings();
      },
      () => undefined,
    );
  }

  async #endOne(process: MemberProcess, why: string, othersListen: boolean): Promise<void> {
    if (process.hasExited) return;
    process.tell({ type: 'end', why, othersListen });
    this.#tellSiblings();
    await withTimeout(process.exited, this.#options.timeoutMs + KILL_AFTER_MS).catch(async () => {
      this.#options.log.error(`process ${process.member.number} did not end in time: it is killed`);
      process.kill();
      await process.exited;
    });
  }

  /** Ends those that hang: connections would be handed to them still. */
  #listen(): void {
    const { startingSeconds = STARTING_SECONDS } = this.#options;
    for (const process of this.#living) {
      const { silentFor, startingFor } = process.beat();
      const isSilent = silentFor > SILENT_SECONDS;
      if (process.isEnding || (!isSilent && startingFor <= startingSeconds)) continue;
      const { number } = process.member;
      const what = isSilent
        ? `has said nothing for ${SILENT_SECONDS}`
        : `has not come to work within ${startingSeconds}`;
      this.#options.log.error(`process ${number} ${what} seconds: it is killed`);
      process.kill();
    }
  }

  #tellSiblings(): void {
    const siblings = { ready: this.ready, of: this.#slots.length, isEnding: this.#isEnding };
    for (const process of this.#living) process.tell({ type: 'siblings', ...siblings });
  }
}
