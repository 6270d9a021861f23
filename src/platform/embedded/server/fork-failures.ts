import { open } from 'node:fs/promises';
import type { Logger } from 'pino';
import { withProcessAdvice } from '../errors.js';

const READ_EVERY_MS = 2_000;
const REPORT_EVERY_MS = 60_000;
const READ_BYTES = 64 * 1024;

const CANNOT_FORK = /^.*?\b(could not fork .*)$/m;

export async function findForkFailure(
  logFile: string,
  offset: number,
): Promise<{ failure: string | null; size: number }> {
  const file = await open(logFile, 'r');
  try {
    const { size } = await file.stat();
    const start = size < offset ? 0 : offset;
    const buffer = Buffer.alloc(Math.min(size - start, READ_BYTES));
    await file.read(buffer, 0, buffer.length, start);
    return { failure: CANNOT_FORK.exec(buffer.toString('utf8'))?.[1] ?? null, size };
  } finally {
    await file.close();
  }
}

/**
 * Logs that PostgreSQL cannot start processes for new connections. Clients do not learn the reason, because PostgreSQL answers
 * in the format of an older protocol, which looks like a lost connection.
 */
export class ForkFailures {
  readonly #timer: NodeJS.Timeout;
  /** Reading starts at the end of the log, because earlier text is about an earlier run. */
  #offset = Number.POSITIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;
  isReading = false;

  constructor(options: { logFile: string; log: Logger }) {
    this.#timer = setInterval(() => this.#read(options), READ_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read({ logFile, log }: { logFile: string; log: Logger }): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      const isFirst = this.#offset === Number.POSITIVE_INFINITY;
      const { failure, size } = await findForkFailure(logFile, isFirst ? 0 : this.#offset);
      this.#offset = size;
      const now = performance.now();
      if (isFirst || failure === null || now - this.#reportedAt < REPORT_EVERY_MS) return;
      this.#reportedAt = now;
      log.error(withProcessAdvice(`Requests fail because of PostgreSQL: ${failure}`));
    } catch {
    } finally {
      this.isReading = false;
    }
  }
}
