import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '../../platform/errors/start-error.js';
import { withTimeout } from '../../platform/timeout.js';
import type { Logger } from '../logger.js';
import { STORE_AWAY } from '../refuse.js';
import type { Member, OpenOrder } from './orders.js';
import { type Exit, MemberProcess } from './process.js';

/** A process that ends more often than this within a minute ends the whole: whatever ends it is not mended by another. */
const MAX_DEATHS = 5;
const DEATHS_MS = 60_000;
const LONGEST_PAUSE_MS = 4_000;
/** Between two tries of a process whose store is away: nobody is to be blamed for it. */
const STORE_PAUSE_MS = 2_000;
/** Seconds after which a process that says nothing hangs. */
const SILENT_SECONDS = 30;
/** What is left to close when the processes have had their time, in milliseconds. */
const KILL_AFTER_MS = 500;

export interface MembersOptions {
  plan: readonly Member[];
  log: Logger;
  /** What a process is told when it starts. */
  orderFor(member: Member): OpenOrder;
  /** Milliseconds that a process has for its end. */
  timeoutMs: number;
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
  #restarting: Promise<void> | null = null;
  #wantsAnother = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#slots = options.plan.map((member) => ({ member, process: null, deaths: [], isRestarting: false }));
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
  async start(): Promise<string | null> {
    const begin = (slot: Slot) => {
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
   * ends; one that sends comes after it, so that no carrier sees the binds of both.
   */
  restart(): Promise<void> {
    this.#wantsAnother = this.#restarting !== null;
    this.#restarting ??= this.#restartAll().finally(() => {
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

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    log.info('the processes are restarted one by one');
    for (const slot of this.#slots) {
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
        if (process?.hasExited) void this.#replace(slot, await process.exited);
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
      if (slot.process === process && !slot.isRestarting) void this.#replace(slot, exit);
    });
  }

  async #replace(slot: Slot, exit: Exit): Promise<void> {
    if (this.#isEnding) return;
    const { log, onLost } = this.#options;
    const { number } = slot.member;
    const how = exit.signal ?? `exit code ${exit.code}`;
    if (exit.code === STORE_AWAY) {
      log.warn(`process ${number} waits for the store`);
      await this.#fill(slot, STORE_PAUSE_MS);
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
    await this.#fill(slot, times === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 250 * 2 ** times));
  }

  async #fill(slot: Slot, afterMs: number): Promise<void> {
    await pause(afterMs);
    if (this.#isEnding) return;
    const next = this.#fork(slot.member);
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
    for (const process of this.#living) {
      if (process.beat() <= SILENT_SECONDS || process.isEnding) continue;
      const { number } = process.member;
      this.#options.log.error(`process ${number} has said nothing for ${SILENT_SECONDS} seconds: it is killed`);
      process.kill();
    }
  }

  #tellSiblings(): void {
    const siblings = { ready: this.ready, of: this.#slots.length, isEnding: this.#isEnding };
    for (const process of this.#living) process.tell({ type: 'siblings', ...siblings });
  }
}
