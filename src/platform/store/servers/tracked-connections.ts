export interface TrackedConnection {
  readonly timeline: number;
  /** True while the connection is being opened or has unanswered statements. */
  readonly isWaiting: boolean;
  readonly bytesReceived: number;
  /** Closes the connection; pending statements fail with the error. */
  abandon(error: Error): void;
}

/** A connection counts as silent if it has pending statements and receives nothing for this long. */
const SILENT_MS = 3_000;
/**
 * Interval of searches for the primary while no connection is silent, because a connection that only listens never becomes
 * silent.
 */
const IDLE_MS = 10_000;
const TICK_MS = 500;

interface Progress {
  bytes: number;
  since: number;
}

/**
 * A connection to a hung server receives nothing, not even the end of the connection. Silence therefore starts a search for the
 * primary, so that statements do not use up their whole timeout.
 */
export class TrackedConnections {
  readonly #connections = new Map<TrackedConnection, Progress>();
  readonly #findPrimary: (maxAgeMs: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #isSearching = false;
  #abandonedCount = 0;

  /** @param findPrimary skips the search if the primary was found within `maxAgeMs` */
  constructor(findPrimary: (maxAgeMs: number) => Promise<unknown>) {
    this.#findPrimary = findPrimary;
  }

  get abandonedCount(): number {
    return this.#abandonedCount;
  }

  /** @returns function to stop tracking */
  track(connection: TrackedConnection): () => void {
    this.#connections.set(connection, { bytes: connection.bytesReceived, since: performance.now() });
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
    return () => {
      this.#connections.delete(connection);
      if (this.#connections.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  abandonBefore(timeline: number, createError: () => Error): void {
    for (const connection of [...this.#connections.keys()]) {
      if (connection.timeline >= timeline) continue;
      this.#connections.delete(connection);
      this.#abandonedCount += 1;
      connection.abandon(createError());
    }
  }

  async #tick(): Promise<void> {
    const maxAgeMs = this.#hasSilent() ? SILENT_MS : IDLE_MS;
    if (this.#isSearching) return;
    this.#isSearching = true;
    // A failed search is reported by the callers that wait for the primary.
    await this.#findPrimary(maxAgeMs).catch(() => undefined);
    this.#isSearching = false;
  }

  #hasSilent(): boolean {
    const now = performance.now();
    let isSilent = false;
    for (const [connection, progress] of this.#connections) {
      if (connection.isWaiting && connection.bytesReceived === progress.bytes)
        isSilent ||= now - progress.since >= SILENT_MS;
      else this.#connections.set(connection, { bytes: connection.bytesReceived, since: now });
    }
    return isSilent;
  }
}
