import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { readHosts, type StoreHosts } from './hosts.js';
import { type TrackedConnection, TrackedConnections } from './tracked-connections.js';

const QUERY_TIMEOUT_MS = 1_500;
const RETRY_MS = 200;
/** How long a found primary is cached, which is shorter than any failover or restart of a former primary. */
const CACHE_MS = 1_000;
/** Timeout of a search for the primary that starts because a connection is silent. */
const SILENCE_SEARCH_MS = 5_000;

/** Queries a server over a temporary connection, and throws after the timeout. */
export type QueryServer = (url: string, timeoutMs: number, text: string) => Promise<Readonly<Record<string, unknown>>>;

export interface FoundServer {
  url: string;
  /**
   * Timeline of the server's write-ahead log; each promotion starts a new timeline. The value is 0 if the server does not
   * accept writes.
   */
  timeline: number;
}

interface ServerState extends FoundServer {
  objection: string | null;
}

const READ_STATE = `
  SELECT pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
         CASE WHEN pg_is_in_recovery() THEN 0
              ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

export class NoPrimaryError extends Error {
  /** Makes our checks treat a missing primary as an unreachable store. */
  readonly code = 'ETIMEDOUT';

  constructor(objections: readonly string[]) {
    super(`no server of the store accepts writes: ${objections.join('; ')}`);
    this.name = 'NoPrimaryError';
  }
}

/** Pending statements on the former primary may have been committed. */
export class PrimaryMovedError extends Error {
  /** Code of a lost connection, because our checks treat a moved primary in the same way. */
  readonly code = 'ECONNRESET';

  constructor() {
    super('another server of the store became the primary');
    this.name = 'PrimaryMovedError';
  }
}

/**
 * Finds the primary among several servers for all connections of a process. A process without open connections does not detect
 * a failover.
 *
 * Two servers may accept writes, because a former primary may return before it is demoted. The server with the later timeline
 * wins. When a later timeline is found, connections to servers with earlier timelines are closed, because a hung server never
 * closes them.
 */
export class PrimaryFinder {
  readonly #hosts: StoreHosts;
  readonly #query: QueryServer;
  readonly #connections = new TrackedConnections((maxAgeMs) => this.find(SILENCE_SEARCH_MS, maxAgeMs));
  #lastFound: FoundServer | null = null;
  #foundAt = 0;
  #search: Promise<FoundServer> | null = null;
  #latestTimeline = 0;
  #moves = 0;

  constructor(hosts: StoreHosts, query: QueryServer) {
    this.#hosts = hosts;
    this.#query = query;
  }

  /** Returns the primary, or waits for a failover in progress. Throws a NoPrimaryError if no primary is found in time. */
  async find(timeoutMs: number, maxAgeMs = CACHE_MS): Promise<FoundServer> {
    const deadline = performance.now() + timeoutMs;
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

  get moves(): number {
    return this.#moves;
  }

  /** Number of closed connections to former primaries. */
  get abandonedCount(): number {
    return this.#connections.abandonedCount;
  }

  get needsWrites(): boolean {
    return this.#hosts.wanted === 'primary';
  }

  /** Discards the cached server if a connection to it failed or it refused writes. */
  suspect(url: string): void {
    if (this.#lastFound?.url === url) this.#lastFound = null;
  }

  /** @returns function to stop tracking */
  track(connection: TrackedConnection): () => void {
    if (!this.needsWrites) return () => undefined;
    const release = this.#connections.track(connection);
    this.#abandonEarlier();
    return release;
  }

  async #searchOnce(): Promise<FoundServer> {
    const { urls, wanted } = this.#hosts;
    const states = await Promise.all(urls.map((url) => this.#readState(url)));
    const respondingServers = states.filter(({ objection }) => objection === null);
    const server = wanted === 'any' ? respondingServers[0] : this.#pickLatest(respondingServers);
    this.#lastFound = server ?? null;
    if (!server) throw new NoPrimaryError(states.map(({ url, objection }) => `${extractHost(url)} ${objection}`));
    // The cache lifetime starts after the search, because a hung server may have delayed the search.
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
      (latest, state) => (latest === undefined || state.timeline > latest.timeline ? state : latest),
      undefined,
    );
  }

  async #readState(url: string): Promise<ServerState> {
    try {
      const row = await this.#query(url, QUERY_TIMEOUT_MS, READ_STATE);
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

export function getFinder(url: string | undefined, query: QueryServer): PrimaryFinder | null {
  const hosts = url === undefined ? null : readHosts(url);
  if (!hosts || url === undefined) return null;
  const finder = finders.get(url) ?? new PrimaryFinder(hosts, query);
  finders.set(url, finder);
  return finder;
}

export function findExistingFinder(url: string | undefined): PrimaryFinder | null {
  return (url !== undefined && finders.get(url)) || null;
}

/** Selects the first host, and drops parameters that only libpq supports. */
export function selectFirstHost<C extends pg.ClientConfig>(config: C): C {
  const hosts = config.connectionString === undefined ? null : readHosts(config.connectionString);
  return hosts ? { ...config, connectionString: hosts.urls[0] } : config;
}

function extractHost(url: string): string {
  return /@?([^@/?]+)(?:[/?]|$)/.exec(url.slice(url.indexOf('://') + 3))?.[1] ?? 'a server';
}
