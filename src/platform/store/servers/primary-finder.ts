import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { readHosts, type StoreHosts } from './hosts.js';
import { type TrackedConnection, TrackedConnections } from './tracked-connections.js';

/**
 * How long to wait for one server, in milliseconds. All are queried at once, so a dead host does not delay the search
 * further.
 */
const QUERY_TIMEOUT_MS = 1_500;
const RETRY_MS = 200;
/**
 * How long a result is cached, in milliseconds. No failover and return of the old primary happens in so short a time.
 */
const CACHE_MS = 1_000;
/** Time limit of a search caused by a silent connection, in milliseconds. */
const SILENCE_SEARCH_MS = 5_000;

/** Queries one server over a temporary connection. @throws if it does not respond in time */
export type QueryServer = (url: string, withinMs: number, text: string) => Promise<Readonly<Record<string, unknown>>>;

export interface FoundServer {
  url: string;
  /**
   * The timeline of its write-ahead log; each promotion of a standby starts the next one. 0 for a server that does not
   * accept writes.
   */
  timeline: number;
}

/** A server's response to the search. */
interface ServerState extends FoundServer {
  /** Why it cannot be used; null if it can. */
  objection: string | null;
}

const READ_STATE = `
  SELECT pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
         CASE WHEN pg_is_in_recovery() THEN 0
              ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

/** No server of a URL accepts writes. */
export class NoPrimaryError extends Error {
  /** A socket's code, so that our checks treat it as an unreachable store. */
  readonly code = 'ETIMEDOUT';

  constructor(objections: readonly string[]) {
    super(`no server of the store accepts writes: ${objections.join('; ')}`);
    this.name = 'NoPrimaryError';
  }
}

/**
 * Another server became the primary while a connection led to the former one. Its pending statements may have been
 * committed.
 */
export class PrimaryMovedError extends Error {
  /** A socket's code for a cut connection, so that pending statements are treated like after that. */
  readonly code = 'ECONNRESET';

  constructor() {
    super('another server of the store became the primary');
    this.name = 'PrimaryMovedError';
  }
}

/**
 * Finds the primary among several servers, for all connections of a process. It is looked up for each connection that
 * is opened more than a second after the last search. It is looked up at once after a connection was lost or led to a
 * read-only server. A process without open connections does not notice a failover.
 *
 * After a failover two servers may claim to accept writes: the new primary, and the former one when it comes back
 * before it is demoted. The later timeline wins, and timelines before the latest known one are never used. Connections
 * to servers of earlier timelines are closed, because such a server may hang and never close them.
 */
export class PrimaryFinder {
  readonly #hosts: StoreHosts;
  readonly #ask: QueryServer;
  readonly #connections = new TrackedConnections((maxAgeMs) => this.find(SILENCE_SEARCH_MS, maxAgeMs));
  #lastFound: FoundServer | null = null;
  #foundAt = 0;
  #search: Promise<FoundServer> | null = null;
  #latestTimeline = 0;
  #moves = 0;

  constructor(hosts: StoreHosts, ask: QueryServer) {
    this.#hosts = hosts;
    this.#ask = ask;
  }

  /**
   * Waits for a failover in progress.
   * @param maxAgeMs maximum age of a cached result, in milliseconds
   * @throws {NoPrimaryError} if no primary is found in time
   */
  async find(withinMs: number, maxAgeMs = CACHE_MS): Promise<FoundServer> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      if (this.#lastFound !== null && performance.now() - this.#foundAt < maxAgeMs) return this.#lastFound;
      this.#search ??= this.#searchOnce().finally(() => {
        this.#search = null;
      });
      try {
        return await this.#search;
      } catch (error) {
        if (performance.now() + RETRY_MS > deadline) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /** Number of changes of the primary. */
  get moves(): number {
    return this.#moves;
  }

  /** Number of connections closed because they led to a former primary. */
  get abandoned(): number {
    return this.#connections.abandoned;
  }

  /** Whether a server that accepts writes is wanted. */
  get needsWrites(): boolean {
    return this.#hosts.wanted === 'primary';
  }

  /** Discards the cached result: a connection to this server failed, or it refuses writes. */
  suspect(url: string): void {
    if (this.#lastFound?.url === url) this.#lastFound = null;
  }

  /**
   * Tracks a connection to a server that was found, from its start.
   * @returns stops tracking; call it once the connection has ended
   */
  track(connection: TrackedConnection): () => void {
    if (!this.needsWrites) return () => undefined;
    const release = this.#connections.track(connection);
    this.#abandonEarlier();
    return release;
  }

  async #searchOnce(): Promise<FoundServer> {
    const { urls, wanted } = this.#hosts;
    const states = await Promise.all(urls.map((url) => this.#readState(url)));
    const answering = states.filter(({ objection }) => objection === null);
    const server = wanted === 'any' ? answering[0] : this.#pickLatest(answering);
    this.#lastFound = server ?? null;
    if (!server) throw new NoPrimaryError(states.map(({ url, objection }) => `${extractHost(url)} ${objection}`));
    // Not the start of the search, which may have waited long for a hung server.
    this.#foundAt = performance.now();
    if (this.#latestTimeline > 0 && server.timeline > this.#latestTimeline) this.#moves += 1;
    this.#latestTimeline = Math.max(this.#latestTimeline, server.timeline);
    this.#abandonEarlier();
    return server;
  }

  #abandonEarlier(): void {
    this.#connections.abandonBefore(this.#latestTimeline, () => new PrimaryMovedError());
  }

  #pickLatest(states: readonly ServerState[]): ServerState | undefined {
    return states.reduce<ServerState | undefined>(
      (best, each) => (best === undefined || each.timeline > best.timeline ? each : best),
      undefined,
    );
  }

  async #readState(url: string): Promise<ServerState> {
    try {
      const row = await this.#ask(url, QUERY_TIMEOUT_MS, READ_STATE);
      const timeline = Number(row.timeline);
      return { url, timeline, objection: this.#findObjection(row, timeline) };
    } catch (error) {
      return { url, timeline: 0, objection: `does not respond (${(error as Error).message})` };
    }
  }

  #findObjection({ isStandby, isReadOnly }: Readonly<Record<string, unknown>>, timeline: number): string | null {
    if (this.#hosts.wanted === 'any') return null;
    if (isStandby === true) return 'is a standby';
    if (isReadOnly === true) return 'is set to read-only';
    return timeline < this.#latestTimeline
      ? `is outdated (timeline ${timeline}, latest ${this.#latestTimeline})`
      : null;
  }
}

const finders = new Map<string, PrimaryFinder>();

/** Returns the process's shared finder for a URL with several servers; null for any other URL. */
export function getFinder(url: string | undefined, ask: QueryServer): PrimaryFinder | null {
  const hosts = url === undefined ? null : readHosts(url);
  if (!hosts || url === undefined) return null;
  const finder = finders.get(url) ?? new PrimaryFinder(hosts, ask);
  finders.set(url, finder);
  return finder;
}

/** Returns the finder that connections to a URL have created; null if there is none. */
export function findExistingFinder(url: string | undefined): PrimaryFinder | null {
  return (url !== undefined && finders.get(url)) || null;
}

/** Replaces the URL with that of one server, and drops parameters that only libpq knows. */
export function selectFirstHost<C extends pg.ClientConfig>(config: C): C {
  const hosts = config.connectionString === undefined ? null : readHosts(config.connectionString);
  return hosts ? { ...config, connectionString: hosts.urls[0] } : config;
}

function extractHost(url: string): string {
  return /@?([^@/?]+)(?:[/?]|$)/.exec(url.slice(url.indexOf('://') + 3))?.[1] ?? 'a server';
}
