import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type HeldConnection, HeldConnections } from './held-connections.js';
import { readHosts, type StoreHosts } from './hosts.js';

/** How long one server is waited for. All are asked at once, so a dead host makes the search no longer than this. */
const ASK_MS = 1_500;
const AGAIN_MS = 200;
/** How long what was found is believed. Nobody becomes the primary, and comes back as an old one, within so short a time. */
const BELIEVED_MS = 1_000;
/** How long a silence has it looked for; whoever is silent then has it looked for again. */
const LOOK_MS = 5_000;

/** Asks one server, over a connection that is closed afterwards. @throws where it does not answer in time */
export type AskServer = (url: string, withinMs: number, text: string) => Promise<Readonly<Record<string, unknown>>>;

/** A server that is to be connected to. */
export interface FoundServer {
  url: string;
  /** Of the write-ahead log; each standby that becomes a primary begins the next one. 0 where it takes no writes. */
  timeline: number;
}

/** What a server says of itself. */
interface Standing extends FoundServer {
  /** Why it is not taken; null where it can be. */
  objection: string | null;
}

const STANDING = `
  SELECT pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
         CASE WHEN pg_is_in_recovery() THEN 0
              ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;

/** None of the servers of a URL takes writes. */
export class NoPrimaryError extends Error {
  /** As a socket says it, so that every look at failures knows it for a store that is away. */
  readonly code = 'ETIMEDOUT';

  constructor(objections: readonly string[]) {
    super(`no server of the store takes writes: ${objections.join('; ')}`);
    this.name = 'NoPrimaryError';
  }
}

/** Another server became the primary while a connection led to the one of before. What was asked there may have been committed. */
export class PrimaryMovedError extends Error {
  /** As a socket says it of a connection that was cut, so that what waited on it is treated as after that. */
  readonly code = 'ECONNRESET';

  constructor() {
    super('another server of the store became the primary');
    this.name = 'PrimaryMovedError';
  }
}

/**
 * Knows which of several servers is the primary, for all connections of a process to them. It is asked for anew for a
 * connection that is made more than a second later, and at once when one was lost, or led to a server that takes no writes: a
 * process without an open connection hears of no failover.
 *
 * After a failover two servers may say that they take writes: the new primary, and the one of before, when it comes back and
 * nobody has told it. The later timeline is taken, and none that is earlier than one that was seen. As soon as a later one is
 * seen, connections to servers of earlier ones are ended, for such a server may stand still and end none itself.
 */
export class PrimaryFinder {
  readonly #hosts: StoreHosts;
  readonly #ask: AskServer;
  readonly #held = new HeldConnections((believedMs) => this.find(LOOK_MS, believedMs));
  #known: FoundServer | null = null;
  #knownAt = 0;
  #search: Promise<FoundServer> | null = null;
  #latest = 0;
  #moves = 0;

  constructor(hosts: StoreHosts, ask: AskServer) {
    this.#hosts = hosts;
    this.#ask = ask;
  }

  /**
   * Waits for a failover that is under way.
   * @param believedMs so many milliseconds ago it may have been found
   * @throws {NoPrimaryError} when there is none in time
   */
  async find(withinMs: number, believedMs = BELIEVED_MS): Promise<FoundServer> {
    const until = performance.now() + withinMs;
    for (;;) {
      if (this.#known !== null && performance.now() - this.#knownAt < believedMs) return this.#known;
      this.#search ??= this.#searchOnce().finally(() => {
        this.#search = null;
      });
      try {
        return await this.#search;
      } catch (error) {
        if (performance.now() + AGAIN_MS > until) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  /** How often another server was found to be the primary than the one before. */
  get moves(): number {
    return this.#moves;
  }

  /** How many connections were ended because they led to a primary of before. */
  get abandoned(): number {
    return this.#held.abandoned;
  }

  /** Whether one that takes writes is wanted. */
  get takesWrites(): boolean {
    return this.#hosts.wanted === 'primary';
  }

  /** A connection to it failed, or it takes no writes: it may no longer be the one. */
  suspect(url: string): void {
    if (this.#known?.url === url) this.#known = null;
  }

  /**
   * To be told of each connection that is made to a server that was found, from its beginning.
   * @returns to be called when it has ended
   */
  hold(connection: HeldConnection): () => void {
    if (!this.takesWrites) return () => undefined;
    const release = this.#held.hold(connection);
    this.#abandonEarlier();
    return release;
  }

  async #searchOnce(): Promise<FoundServer> {
    const { urls, wanted } = this.#hosts;
    const standings = await Promise.all(urls.map((url) => this.#standingOf(url)));
    const answering = standings.filter(({ objection }) => objection === null);
    const found = wanted === 'any' ? answering[0] : this.#latestOf(answering);
    this.#known = found ?? null;
    if (!found) throw new NoPrimaryError(standings.map(({ url, objection }) => `${hostOf(url)} ${objection}`));
    // Not when it began: by the end of a search that waited for a server which hangs, it would be too long ago.
    this.#knownAt = performance.now();
    if (this.#latest > 0 && found.timeline > this.#latest) this.#moves += 1;
    this.#latest = Math.max(this.#latest, found.timeline);
    this.#abandonEarlier();
    return found;
  }

  #abandonEarlier(): void {
    this.#held.abandonBefore(this.#latest, () => new PrimaryMovedError());
  }

  #latestOf(standings: readonly Standing[]): Standing | undefined {
    return standings.reduce<Standing | undefined>(
      (best, each) => (best === undefined || each.timeline > best.timeline ? each : best),
      undefined,
    );
  }

  async #standingOf(url: string): Promise<Standing> {
    try {
      const said = await this.#ask(url, ASK_MS, STANDING);
      const timeline = Number(said.timeline);
      return { url, timeline, objection: this.#objectionTo(said, timeline) };
    } catch (error) {
      return { url, timeline: 0, objection: `does not answer (${(error as Error).message})` };
    }
  }

  #objectionTo({ isStandby, isReadOnly }: Readonly<Record<string, unknown>>, timeline: number): string | null {
    if (this.#hosts.wanted === 'any') return null;
    if (isStandby === true) return 'is a standby';
    if (isReadOnly === true) return 'is set to be read-only';
    return timeline < this.#latest ? `was left behind (timeline ${timeline}, and ${this.#latest} was seen)` : null;
  }
}

const finders = new Map<string, PrimaryFinder>();

/** The finder of a URL that names several servers, one for the whole process; null for any other. */
export function finderOf(url: string | undefined, ask: AskServer): PrimaryFinder | null {
  const hosts = url === undefined ? null : readHosts(url);
  if (!hosts || url === undefined) return null;
  const finder = finders.get(url) ?? new PrimaryFinder(hosts, ask);
  finders.set(url, finder);
  return finder;
}

/** The finder that connections by a URL have made; null where it names one server, or none has been made. */
export function madeFinderOf(url: string | undefined): PrimaryFinder | null {
  return (url !== undefined && finders.get(url)) || null;
}

/** The same configuration with one server in the place of several, and without what only libpq knows. */
export function withOneHost<C extends pg.ClientConfig>(config: C): C {
  const hosts = config.connectionString === undefined ? null : readHosts(config.connectionString);
  return hosts ? { ...config, connectionString: hosts.urls[0] } : config;
}

function hostOf(url: string): string {
  return /@?([^@/?]+)(?:[/?]|$)/.exec(url.slice(url.indexOf('://') + 3))?.[1] ?? 'a server';
}
