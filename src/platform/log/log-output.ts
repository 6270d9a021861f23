import { writeSync } from 'node:fs';
import type { Metric } from '../metrics/metric.js';

/** Limit on unwritten log lines; further lines are dropped, so that a stuck reader does not exhaust the memory. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;
const PIPE_RETRY_MS = 20;
const EXIT_FLUSH_MS = 1_000;
const RECOVERY_CHECK_MS = 5_000;
/** Error codes of writes to a pipe whose reader is too slow. */
const FULL_PIPE = new Set(['EAGAIN', 'EWOULDBLOCK', 'EBUSY']);

export interface LostLines {
  count: number;
  /** Reason such as "ENOSPC: no space left on device, write". */
  reason: string;
}

export interface LogOutputOptions {
  /** Writes to the log and returns the number of bytes written. May throw. Default: standard output. */
  write?(bytes: Buffer): number;
}

/**
 * Never throws, because a broken log must not stop messages. Lines are written synchronously, so that the last lines before a
 * crash are kept. Lost lines are counted, and reported once the log is writable again.
 */
export class LogOutput {
  readonly #write: (bytes: Buffer) => number;
  readonly #pending: Buffer[] = [];
  #pendingBytes = 0;
  #retry: NodeJS.Timeout | undefined;
  #recovery: NodeJS.Timeout | undefined;
  #isFrontPartial = false;
  /** Whether the last written line was cut off, so that the next line must start with a line break. */
  #isMidLine = false;
  #unreportedLoss: LostLines | null = null;
  #isReporting = false;
  #lostTotal = 0;
  #report: (lost: LostLines) => void = () => undefined;

  constructor({ write = (bytes: Buffer) => writeSync(1, bytes) }: LogOutputOptions = {}) {
    this.#write = write;
  }

  get lostTotal(): number {
    return this.#lostTotal;
  }

  /** @param report logs one line */
  onRecovery(report: (lost: LostLines) => void): void {
    this.#report = report;
  }

  write(line: string): void {
    if (this.#unreportedLoss && !this.#isReporting && !this.#reportLost()) {
      this.#countLost(1, this.#unreportedLoss.reason);
      return;
    }
    this.#add(Buffer.from(line));
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_log_lines_lost_total',
        help: 'Log lines that could not be written, for example because the disk under the log was full',
        type: 'counter',
        read: () => [{ value: this.#lostTotal }],
      },
    ];
  }

  /** @returns whether the report succeeded */
  #reportLost(): boolean {
    const lost = this.#unreportedLoss;
    if (!lost) return true;
    if (this.#retry) return false;
    this.#isReporting = true;
    this.#unreportedLoss = null;
    try {
      this.#report(lost);
    } finally {
      this.#isReporting = false;
    }
    // `#fail` sets `#unreportedLoss` if writing the report fails.
    const newLoss = this.#unreportedLoss as LostLines | null;
    if (!newLoss) {
      clearInterval(this.#recovery);
      this.#recovery = undefined;
      return true;
    }
    this.#lostTotal -= newLoss.count;
    this.#unreportedLoss = lost;
    return false;
  }

  #add(line: Buffer): void {
    if (this.#pendingBytes + line.length > MAX_PENDING_BYTES) {
      this.#countLost(1, 'the reader of the log is too slow');
      return;
    }
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (!this.#retry) this.#flush();
  }

  #flush(): void {
    try {
      while (this.#pending.length > 0) this.#writeFront();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== undefined && FULL_PIPE.has(code)) this.#retryLater();
      else this.#fail(message);
    }
  }

  #writeFront(): void {
    const line = this.#pending[0] as Buffer;
    if (this.#isMidLine) {
      this.#write(Buffer.from('\n'));
      this.#isMidLine = false;
    }
    const writtenBytes = this.#write(line);
    this.#pendingBytes -= writtenBytes;
    this.#isFrontPartial = writtenBytes < line.length;
    if (this.#isFrontPartial) this.#pending[0] = line.subarray(writtenBytes);
    else this.#pending.shift();
  }

  #retryLater(): void {
    if (this.#retry) return;
    process.once('exit', this.#flushAtExit);
    this.#retry = setInterval(() => {
      this.#flush();
      if (this.#pending.length > 0) return;
      this.#stopRetrying();
      this.#reportLost();
    }, PIPE_RETRY_MS).unref();
  }

  #stopRetrying(): void {
    clearInterval(this.#retry);
    this.#retry = undefined;
    process.off('exit', this.#flushAtExit);
  }

  readonly #flushAtExit = (): void => {
    const deadline = performance.now() + EXIT_FLUSH_MS;
    const sleep = new Int32Array(new SharedArrayBuffer(4));
    for (this.#flush(); this.#pending.length > 0 && performance.now() < deadline; this.#flush()) {
      Atomics.wait(sleep, 0, 0, PIPE_RETRY_MS);
    }
  };

  #fail(reason: string): void {
    this.#countLost(this.#pending.length, reason);
    this.#pending.length = 0;
    this.#pendingBytes = 0;
    this.#isMidLine ||= this.#isFrontPartial;
    this.#isFrontPartial = false;
    this.#stopRetrying();
  }

  #countLost(count: number, reason: string): void {
    this.#lostTotal += count;
    this.#unreportedLoss ??= { count: 0, reason };
    this.#unreportedLoss.count += count;
    this.#recovery ??= setInterval(() => this.#reportLost(), RECOVERY_CHECK_MS).unref();
  }
}
