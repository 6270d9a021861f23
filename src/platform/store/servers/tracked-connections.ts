export interface TrackedConnection {
  readonly timeline: number;
  /** True while it is being opened or has unanswered statements. */
  readonly isWaiting: boolean;
  readonly bytesReceived: number;
  /** Pending statements fail with this error. */
  abandon(error: Error): void;
}

/** For connections with pending statements. */
const SILENT_MS = 3_000;
/** For connections that only listen. */
const IDLE_MS = 10_000;
const TICK_MS = 500;

interface Progress {
  bytes: number;
  since: number;
}

/**
 * A connection to a hung server receives nothing, not even its end. A silence therefore starts a search for the
 * primary, so that statements do not use up their whole timeout.
 */
export class TrackedConnections {
  readonly #connections = new Map<TrackedConnection, Progress>();
  readonly #findPrimary: (believedMs: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #isSearching = false;
  #abandoned = 0;

  /** @param look skips the search if the primary was found recently */
  constructor(look: (believedMs: number) => Promise<unknown>) {
    this.#findPrimary = look;
  }

  get abandoned(): number {
    return this.#abandoned;
  }

  /** @returns stops tracking */
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

  abandonBefore(timeline: number, error: () => Error): void {
    for (const connection of [...this.#connections.keys()]) {
      if (connection.timeline >= timeline) continue;
      this.#connections.delete(connection);
      this.#abandoned += 1;
      connection.abandon(error());
    }
  }

  async #tick(): Promise<void> {
    const maxAgeMs = this.#hasSilent() ? SILENT_MS : IDLE_MS;
    if (this.#isSearching) return;
    this.#isSearching = true;
    // The callers that wait for the primary report a failure.
    await this.#findPrimary(maxAgeMs).catch(() => undefined);
    this.#isSearching = false;
  }

  #hasSilent(): boolean {
    const now = performance.now();
    let isSilent = false;
    for (const [connection, heard] of this.#connections) {
      if (connection.isWaiting && connection.bytesReceived === heard.bytes) isSilent ||= now - heard.since >= SILENT_MS;
      else this.#connections.set(connection, { bytes: connection.bytesReceived, since: now });
    }
    return isSilent;
  }
}
