import cluster, { type Worker } from 'node:cluster';
import type { Reading } from '../../platform/metrics/reading.js';
import type { Member, MemberMessage, OpenMessage, PrimaryMessage } from './ipc-messages.js';
import { memberEnvironment } from './member-environment.js';
import { reassignConnections } from './reassign-connections.js';

export interface Exit {
  code: number | null;
  signal: string | null;
  failure?: Error;
}

/** Returns a text for log messages, for example `SIGKILL` or `exit code 1`. */
export function describeExit({ code, signal, failure }: Exit): string {
  return signal ?? (failure ? `a failed fork (${failure.message})` : `exit code ${code}`);
}

export class MemberProcess {
  readonly member: Member;
  /**
   * Resolves once the process is ready, with its address, or null if it does not listen. Rejects if the process exits before it
   * is ready.
   */
  readonly ready: Promise<string | null>;
  readonly exited: Promise<Exit>;
  readonly #worker: Worker;
  readonly #pendingReads = new Map<number, (readings: Reading[]) => void>();
  #wasReady = false;
  #hasExited = false;
  #isEnding = false;
  #secondsSilent = 0;
  #secondsStarting = 0;
  #readCount = 0;
  #lastReadings: readonly Reading[] = [];

  constructor(openMessage: OpenMessage) {
    const { member } = openMessage;
    this.member = member;
    this.#worker = cluster.fork(memberEnvironment(member.number));
    reassignConnections(this.#worker);
    this.exited = new Promise((resolve) => {
      const settle = (exit: Exit) => {
        this.#hasExited = true;
        resolve(exit);
      };
      this.#worker.once('exit', (code, signal) => settle({ code, signal }));
      // A failed fork emits only `error`, while `exit` follows after all other errors.
      this.#worker.on('error', (failure: unknown) => {
        if (this.pid === undefined) settle({ code: null, signal: null, failure: failure as Error });
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: MemberMessage) => {
        this.#secondsSilent = 0;
        // A process that is asked to end before it can receive messages has opened nothing yet, so it can be killed.
        if (message.type === 'hello' && this.#isEnding) this.kill();
        else if (message.type === 'hello') this.#send(openMessage);
        if (message.type === 'ready') {
          this.#wasReady = true;
          resolve(message.baseUrl);
        }
        if (message.type === 'read') this.#pendingReads.get(message.id)?.(message.readings);
        if (message.type === 'last') this.#lastReadings = message.readings;
      });
      void this.exited.then((exit) => reject(new EarlyExitError(member, exit)));
    });
    this.ready.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isReady(): boolean {
    return this.#wasReady && !this.#hasExited && !this.#isEnding;
  }

  get wasReady(): boolean {
    return this.#wasReady;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  get lastReadings(): readonly Reading[] {
    return this.#lastReadings;
  }

  send(message: Exclude<PrimaryMessage, OpenMessage>): void {
    if (message.type === 'end') this.#isEnding = true;
    this.#send(message);
  }

  /** Must be called once a second, because each call counts one second. */
  tick(): { secondsSilent: number; secondsStarting: number } {
    this.#secondsSilent += 1;
    this.#secondsStarting = this.#wasReady ? 0 : this.#secondsStarting + 1;
    return { secondsSilent: this.#secondsSilent, secondsStarting: this.#secondsStarting };
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  async readMetrics(includesShared: boolean, timeoutMs: number): Promise<readonly Reading[]> {
    if (!this.#wasReady || this.#hasExited) return this.#lastReadings;
    const id = ++this.#readCount;
    const response = new Promise<Reading[] | null>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs, null);
      this.#pendingReads.set(id, (readings) => {
        clearTimeout(timer);
        resolve(readings);
      });
      this.#send({ type: 'read', id, includesShared });
    });
    const readings = await response;
    this.#pendingReads.delete(id);
    if (readings) this.#lastReadings = readings;
    return this.#lastReadings;
  }

  #send(message: PrimaryMessage): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined);
  }
}

export class EarlyExitError extends Error {
  constructor(member: Member, exit: Exit) {
    super(`process ${member.number} ended with ${describeExit(exit)} before it was ready`);
  }
}
