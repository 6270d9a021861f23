/** A connection to the primary among several servers. */
export interface HeldConnection {
  /** Of the write-ahead log of the server that it leads to. */
  readonly timeline: number;
  /** Whether it is being made, or something that was asked on it is unanswered. */
  readonly isWaiting: boolean;
  /** Of all that it has heard. */
  readonly bytesHeard: number;
  /** Ends it at once: whatever waits on it fails with this error. */
  abandon(error: Error): void;
}

/** What was asked waits so long in silence before it is looked whether another server is the primary, and again each time. */
const SILENT_MS = 3_000;
/** The same where nothing waits: of what only listens nobody would hear otherwise. */
const IDLE_MS = 10_000;
const TICK_MS = 500;

/** What a connection had heard, and at the latest since when no more. */
interface Heard {
  bytes: number;
  since: number;
}

/**
 * All connections of a process to the primary among several servers, of whatever kind. One whose server stands still hears
 * nothing, not even that it ended: what waits on it would wait for all its patience, though another server has long become
 * the primary. So a silence has it looked for.
 */
export class HeldConnections {
  readonly #all = new Map<HeldConnection, Heard>();
  readonly #look: (believedMs: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #abandoned = 0;

  /** @param look looks for the primary, unless that was done so many milliseconds ago or less */
  constructor(look: (believedMs: number) => Promise<unknown>) {
    this.#look = look;
  }

  /** How many were ended because they led to a server of before. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** @returns to be called when it has ended */
  hold(connection: HeldConnection): () => void {
    this.#all.set(connection, { bytes: connection.bytesHeard, since: performance.now() });
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
    return () => {
      this.#all.delete(connection);
      if (this.#all.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Ends those that lead to a server of an earlier timeline. */
  abandonBefore(timeline: number, error: () => Error): void {
    for (const connection of [...this.#all.keys()]) {
      if (connection.timeline >= timeline) continue;
      this.#all.delete(connection);
      this.#abandoned += 1;
      connection.abandon(error());
    }
  }

  async #tick(): Promise<void> {
    const believedMs = this.#hasSilent() ? SILENT_MS : IDLE_MS;
    if (this.#isLooking) return;
    this.#isLooking = true;
    // Where none is found, whoever waits for it says so.
    await this.#look(believedMs).catch(() => undefined);
    this.#isLooking = false;
  }

  #hasSilent(): boolean {
    const now = performance.now();
    let isFound = false;
    for (const [connection, heard] of this.#all) {
      if (connection.isWaiting && connection.bytesHeard === heard.bytes) isFound ||= now - heard.since >= SILENT_MS;
      else this.#all.set(connection, { bytes: connection.bytesHeard, since: now });
    }
    return isFound;
  }
}
