/** A connection to the primary among several servers. */
export interface TrackedConnection {
  /** The timeline of its server's write-ahead log. */
  readonly timeline: number;
  /** Whether it is being opened or has unanswered statements. */
  readonly isWaiting: boolean;
  /** Total bytes received. */
  readonly bytesReceived: number;
  /** Closes it at once; its pending statements fail with this error. */
  abandon(error: Error): void;
}

/**
 * How long a pending statement may receive nothing, in milliseconds, before the primary is looked for, and then
 * repeatedly.
 */
const SILENT_MS = 3_000;
/** The same without pending statements, for connections that only listen. */
const IDLE_MS = 10_000;
const TICK_MS = 500;

/** What a connection has received, and since when nothing more. */
interface Progress {
  bytes: number;
  since: number;
}

/**
 * Tracks all connections of a process to the primary among several servers. A connection to a hung server receives
 * nothing, not even its end, so its statements would use up their whole timeout although another server has become the
 * primary. The primary is therefore looked for after a silence.
 */
export class TrackedConnections {
  readonly #connections = new Map<TrackedConnection, Progress>();
  readonly #findPrimary: (believedMs: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #isSearching = false;
  #abandoned = 0;

  /** @param look finds the primary, unless it was found within the given number of milliseconds */
  constructor(look: (believedMs: number) => Promise<unknown>) {
    this.#findPrimary = look;
  }

  /** Number of connections closed because they led to a former primary. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** @returns removes the connection; call it once the connection has ended */
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

  /** Closes the connections to servers of an earlier timeline. */
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
    // If there is none, the callers that wait for it report that.
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
