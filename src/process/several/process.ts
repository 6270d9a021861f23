import cluster, { type Worker } from 'node:cluster';
import type { Reading } from '../../platform/metrics/reading.js';
import { giveBackConnections } from './given-back.js';
import { MEMBER_VARIABLE } from './member-variable.js';
import type { Member, OpenOrder, Order, Report } from './orders.js';

/** How a process came to its end. */
export interface Exit {
  code: number | null;
  signal: string | null;
}

/** A process that this one has started. */
export class MemberProcess {
  readonly member: Member;
  /** Resolves once it does its work, to the address that it listens on; rejects when it ends before. */
  readonly ready: Promise<string | null>;
  readonly exited: Promise<Exit>;
  readonly #worker: Worker;
  readonly #reading = new Map<number, (readings: Reading[]) => void>();
  #isReady = false;
  #hasExited = false;
  #isEnding = false;
  #silentFor = 0;
  #reads = 0;
  #last: readonly Reading[] = [];

  /** @param order what it is told as soon as it asks */
  constructor(order: OpenOrder) {
    const { member } = order;
    this.member = member;
    this.#worker = cluster.fork({ [MEMBER_VARIABLE]: String(member.number) });
    giveBackConnections(this.#worker);
    // One that is gone hears nothing, which its exit tells.
    this.#worker.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (code, signal) => {
        this.#hasExited = true;
        this.#isReady = false;
        resolve({ code, signal });
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (report: Report) => {
        this.#silentFor = 0;
        if (report.type === 'hello') this.#tell(order);
        if (report.type === 'ready') {
          this.#isReady = !this.#hasExited;
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
    return this.#isReady && !this.#isEnding;
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

  /** To be called every second. @returns for how many seconds it has said nothing */
  beat(): number {
    this.#silentFor += 1;
    return this.#silentFor;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Asks what it measures; what it said last, where it does not answer in time. */
  async read(ofAll: boolean, patienceMs: number): Promise<readonly Reading[]> {
    if (!this.#isReady || this.#hasExited) return this.#last;
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
  constructor(member: Member, { code, signal }: Exit) {
    super(`process ${member.number} ended with ${signal ?? `exit code ${code}`} before it was ready`);
  }
}
