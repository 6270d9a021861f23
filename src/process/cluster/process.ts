import cluster, { type Worker } from 'node:cluster';
import type { Reading } from '../../platform/metrics/reading.js';
import { giveBackConnections } from './given-back.js';
import { memberEnvironment } from './member-variable.js';
import type { Member, OpenOrder, Order, Report } from './orders.js';

/** How a process came to its end. */
export interface Exit {
  code: number | null;
  signal: string | null;
  /** Why it never was one: there was no more memory, for example. */
  failure?: Error;
}

/** In words, e.g. `SIGKILL` or `exit code 1`. */
export function howOf({ code, signal, failure }: Exit): string {
  return signal ?? (failure ? `no process, for none could be made (${failure.message})` : `exit code ${code}`);
}

/** A process that this one has started. */
export class MemberProcess {
  readonly member: Member;
  /** Resolves once it does its work, to the address that it listens on; rejects when it ends before. */
  readonly ready: Promise<string | null>;
  readonly exited: Promise<Exit>;
  readonly #worker: Worker;
  readonly #reading = new Map<number, (readings: Reading[]) => void>();
  #wasReady = false;
  #hasExited = false;
  #isEnding = false;
  #silentFor = 0;
  #startingFor = 0;
  #reads = 0;
  #last: readonly Reading[] = [];

  /** @param order what it is told as soon as it asks */
  constructor(order: OpenOrder) {
    const { member } = order;
    this.member = member;
    this.#worker = cluster.fork(memberEnvironment(member.number));
    giveBackConnections(this.#worker);
    this.exited = new Promise((resolve) => {
      const settle = (exit: Exit) => {
        this.#hasExited = true;
        resolve(exit);
      };
      this.#worker.once('exit', (code, signal) => settle({ code, signal }));
      // One that is gone hears nothing, which its exit tells; where none could be made, that is all that is told.
      this.#worker.on('error', (failure: unknown) => {
        if (this.pid === undefined) settle({ code: null, signal: null, failure: failure as Error });
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (report: Report) => {
        this.#silentFor = 0;
        // Told to end before it could hear that, it has nothing yet that must be closed in order.
        if (report.type === 'hello' && this.#isEnding) this.kill();
        else if (report.type === 'hello') this.#tell(order);
        if (report.type === 'ready') {
          this.#wasReady = true;
          resolve(report.baseUrl);
        }
        if (report.type === 'read') this.#reading.get(report.id)?.(report.readings);
        if (report.type === 'last') this.#last = report.readings;
      });
      void this.exited.then((exit) => reject(new EndedError(member, exit)));
    });
    this.ready.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Whether it does its work. */
  get isReady(): boolean {
    return this.#wasReady && !this.#hasExited && !this.#isEnding;
  }

  /** Whether it came to do its work. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Whether it was told to end. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** What it measured when it was last asked. */
  get lastRead(): readonly Reading[] {
    return this.#last;
  }

  tell(order: Exclude<Order, OpenOrder>): void {
    if (order.type === 'end') this.#isEnding = true;
    this.#tell(order);
  }

  /** To be called every second. @returns for how many seconds it has said nothing, and has been there without doing its work */
  beat(): { silentFor: number; startingFor: number } {
    this.#silentFor += 1;
    this.#startingFor = this.#wasReady ? 0 : this.#startingFor + 1;
    return { silentFor: this.#silentFor, startingFor: this.#startingFor };
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Asks what it measures; what it said last, where it does not answer in time. */
  async read(ofAll: boolean, patienceMs: number): Promise<readonly Reading[]> {
    if (!this.#wasReady || this.#hasExited) return this.#last;
    const id = ++this.#reads;
    const answer = new Promise<Reading[] | null>((resolve) => {
      const timer = setTimeout(resolve, patienceMs, null);
      this.#reading.set(id, (readings) => {
        clearTimeout(timer);
        resolve(readings);
      });
      this.#tell({ type: 'read', id, ofAll });
    });
    const readings = await answer;
    this.#reading.delete(id);
    if (readings) this.#last = readings;
    return this.#last;
  }

  #tell(order: Order): void {
    if (this.#worker.isConnected()) this.#worker.send(order, () => undefined);
  }
}

/** A process ended before it did its work. */
export class EndedError extends Error {
  constructor(member: Member, exit: Exit) {
    super(`process ${member.number} ended with ${howOf(exit)} before it was ready`);
  }
}
