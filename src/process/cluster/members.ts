import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '../../platform/background/backoff.js';
import { StartError } from '../../platform/errors/start-error.js';
import { withTimeout } from '../../platform/timeout.js';
import type { Logger } from '../logger.js';
import { STORE_UNAVAILABLE_EXIT_CODE } from '../refuse.js';
import type { Member, OpenMessage } from './ipc-messages.js';
import { describeExit, type Exit, MemberProcess } from './member-process.js';

/** Heliograph gives up after more crashes within a minute, because another replacement would probably crash too. */
const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;
const MAX_CRASH_PAUSE_MS = 4_000;
/** Pause before a process that could not reach the store is started again. */
const STORE_PAUSE_MS = 2_000;
/** Pauses before a process that rejected its settings is started again, in case an operator is correcting them. */
const REFUSED_PAUSES = { firstMs: 1_000, longestMs: 30_000 };
/** A process that sends no message for this long is killed, because it must be hanging. */
const MAX_SILENT_SECONDS = 30;
/** A process that is not ready after this time is killed, for example because a disk does not respond. */
const MAX_STARTING_SECONDS = 300;
/** A process that is still running this long after its shutdown timeout is killed. */
const KILL_AFTER_MS = 500;

export interface MembersOptions {
  plan: readonly Member[];
  log: Logger;
  openMessageFor(member: Member): OpenMessage;
  timeoutMs: number;
  /** Default: 300. */
  maxStartingSeconds?: number;
  /** Called when Heliograph cannot continue, because a process has crashed too often. */
  onLost(error: Error): void;
  onExit(process: MemberProcess): void;
}

interface Slot {
  member: Member;
  process: MemberProcess | null;
  /** Within the last minute. */
  crashes: number[];
  failedStarts: number;
  isRestarting: boolean;
}

export class Members {
  unexpectedExits = 0;
  readonly #options: MembersOptions;
  readonly #slots: Slot[];
  readonly #living = new Set<MemberProcess>();
  readonly #watchdog: NodeJS.Timeout;
  #isEnding = false;
  #startInProgress: Promise<unknown> | null = null;
  #restartInProgress: Promise<void> | null = null;
  #mustRestartAgain = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#slots = options.plan.map((member) => ({
      member,
      process: null,
      crashes: [],
      failedStarts: 0,
      isRestarting: false,
    }));
    this.#watchdog = setInterval(() => this.#killHung(), 1_000);
  }

  get living(): readonly MemberProcess[] {
    return [...this.#living];
  }

  get ready(): number {
    return this.#slots.filter(({ process }) => process?.isReady).length;
  }

  /**
   * Starts the first process before all others, so that a shared problem is logged only once.
   * @throws {StartError}
   */
  start(): Promise<string | null> {
    const starting = this.#startAll();
    this.#startInProgress = starting.catch(() => undefined);
    return starting;
  }

  async #startAll(): Promise<string | null> {
    const startSlot = async (slot: Slot) => {
      if (this.#isEnding) throw new Error('Heliograph is shutting down');
      slot.process = this.#fork(slot.member);
      return slot.process.ready;
    };
    try {
      const [first, ...others] = this.#slots;
      const addresses = [first ? await startSlot(first) : null, ...(await Promise.all(others.map(startSlot)))];
      for (const slot of this.#slots) this.#watch(slot, slot.process as MemberProcess);
      this.#notifySiblings();
      return addresses.find((address) => address !== null) ?? null;
    } catch (error) {
      await this.end('a process did not start');
      throw new StartError(`${(error as Error).message}. Its own message above gives the reason.`, { cause: error });
    }
  }

  /**
   * A serving process ends after its replacement has started, but a sending process ends first, so that carriers never see the
   * binds of both processes.
   */
  restart(): Promise<void> {
    this.#mustRestartAgain = this.#restartInProgress !== null;
    this.#restartInProgress ??= this.#restartAfterStart().finally(() => {
      this.#restartInProgress = null;
      if (this.#mustRestartAgain && !this.#isEnding) void this.restart();
    });
    return this.#restartInProgress;
  }

  async end(reason: string): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#watchdog);
    this.#notifySiblings();
    await Promise.all(this.living.map((process) => this.#endProcess(process, reason, false)));
  }

  async #restartAfterStart(): Promise<void> {
    await this.#startInProgress;
    if (!this.#isEnding) await this.#restartAll();
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    log.info('restarting the processes one by one');
    // Serving processes come first, because invalid settings then stop the restart before any process has ended.
    const isServing = ({ member }: Slot) => member.role === 'api';
    for (const slot of [...this.#slots.filter(isServing), ...this.#slots.filter((slot) => !isServing(slot))]) {
      if (this.#isEnding) return;
      slot.isRestarting = true;
      try {
        await (slot.member.role === 'api' ? this.#startThenEnd(slot) : this.#endThenStart(slot));
      } catch (error) {
        if (!this.#isEnding) {
          log.error({ err: error }, 'a process could not be restarted; the running processes continue');
        }
        return;
      } finally {
        slot.isRestarting = false;
        const { process } = slot;
        if (process?.hasExited) void this.#replace(slot, process, await process.exited);
      }
    }
    log.info('all processes were restarted');
  }

  async #startThenEnd(slot: Slot): Promise<void> {
    const oldProcess = slot.process;
    const newProcess = this.#fork(slot.member);
    await newProcess.ready;
    slot.process = newProcess;
    this.#watch(slot, newProcess);
    this.#notifySiblings();
    if (oldProcess) await this.#endProcess(oldProcess, 'Another process takes over', true);
  }

  async #endThenStart(slot: Slot): Promise<void> {
    if (slot.process) await this.#endProcess(slot.process, 'Another process takes over', slot.member.listens);
    if (this.#isEnding) return;
    const newProcess = this.#fork(slot.member);
    slot.process = newProcess;
    this.#watch(slot, newProcess);
    await newProcess.ready;
    this.#notifySiblings();
  }

  #fork(member: Member): MemberProcess {
    const process = new MemberProcess(this.#options.openMessageFor(member));
    this.#living.add(process);
    void process.exited.then(() => {
      this.#living.delete(process);
      this.#options.onExit(process);
    });
    return process;
  }

  #watch(slot: Slot, process: MemberProcess): void {
    void process.exited.then((exit) => {
      this.#notifySiblings();
      if (slot.process === process && !slot.isRestarting) void this.#replace(slot, process, exit);
    });
  }

  async #replace(slot: Slot, exited: MemberProcess | null, exit: Exit): Promise<void> {
    if (this.#isEnding) return;
    const { log, onLost } = this.#options;
    const { number } = slot.member;
    const exitText = describeExit(exit);
    if (exit.code === STORE_UNAVAILABLE_EXIT_CODE) {
      log.warn(`process ${number} waits for PostgreSQL`);
      await this.#startReplacement(slot, exited, STORE_PAUSE_MS);
      return;
    }
    if (exited?.wasReady && !exit.failure) slot.failedStarts = 0;
    else if (exit.signal === null) {
      // The process probably rejected new settings, with which the other processes are not running yet.
      slot.failedStarts += 1;
      const pauseMs = backoffMs(slot.failedStarts, REFUSED_PAUSES);
      log.error(`process ${number} did not start and ended with ${exitText}: next attempt in ${pauseMs / 1_000} s`);
      await this.#startReplacement(slot, exited, pauseMs);
      return;
    }
    const now = performance.now();
    slot.crashes = [...slot.crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    this.unexpectedExits += 1;
    const count = slot.crashes.length;
    if (count > MAX_CRASHES) {
      onLost(new StartError(`Process ${number} ended ${count} times within a minute, the last time with ${exitText}.`));
      return;
    }
    log.error(
      { ended: number, code: exit.code, signal: exit.signal },
      `process ${number} ended with ${exitText}: starting another`,
    );
    await this.#startReplacement(slot, exited, count === 1 ? 0 : Math.min(MAX_CRASH_PAUSE_MS, 250 * 2 ** count));
  }

  async #startReplacement(slot: Slot, exited: MemberProcess | null, afterMs: number): Promise<void> {
    await pause(afterMs);
    // A rolling restart may have replaced the process during the pause, or may be replacing it.
    if (this.#isEnding || slot.isRestarting || slot.process !== exited) return;
    let newProcess: MemberProcess;
    try {
      newProcess = this.#fork(slot.member);
    } catch (failure) {
      await this.#replace(slot, exited, { code: null, signal: null, failure: failure as Error });
      return;
    }
    slot.process = newProcess;
    this.#watch(slot, newProcess);
    await newProcess.ready.then(
      () => {
        this.#options.log.info(`process ${slot.member.number} is ready again`);
        this.#notifySiblings();
      },
      () => undefined,
    );
  }

  async #endProcess(process: MemberProcess, reason: string, othersListen: boolean): Promise<void> {
    if (process.hasExited) return;
    process.send({ type: 'end', reason, othersListen });
    this.#notifySiblings();
    await withTimeout(process.exited, this.#options.timeoutMs + KILL_AFTER_MS).catch(async () => {
      this.#options.log.error(`process ${process.member.number} did not end in time and will be killed`);
      process.kill();
      await process.exited;
    });
  }

  /** Kills hung processes, because Node.js would keep passing connections to them. */
  #killHung(): void {
    const { maxStartingSeconds = MAX_STARTING_SECONDS } = this.#options;
    for (const process of this.#living) {
      const { secondsSilent, secondsStarting } = process.tick();
      const isSilent = secondsSilent > MAX_SILENT_SECONDS;
      if (process.isEnding || (!isSilent && secondsStarting <= maxStartingSeconds)) continue;
      const { number } = process.member;
      const problem = isSilent
        ? `has not responded for ${MAX_SILENT_SECONDS} seconds`
        : `was not ready within ${maxStartingSeconds} seconds`;
      this.#options.log.error(`process ${number} ${problem} and will be killed`);
      process.kill();
    }
  }

  #notifySiblings(): void {
    const siblings = { ready: this.ready, planned: this.#slots.length, isEnding: this.#isEnding };
    for (const process of this.#living) process.send({ type: 'siblings', ...siblings });
  }
}
