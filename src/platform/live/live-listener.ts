import type { Logger } from 'pino';
import { SteadyClient } from '../store/connections/client.js';
import { connectionName } from '../store/connections/connection-name.js';
import { ALL, type Stale } from './live-feed.js';
import { LIVE_CHANNEL, listenLive } from './live-store.js';

/** Somebody who watches. */
export interface LiveWatcher {
  /** Of which accounts it is told: `all`, or their ids. */
  accounts: 'all' | readonly string[];
  /** Told of topics that are stale. */
  stale(topics: readonly string[]): void;
  /** Nothing will be told any more: the store is away, or the process ends. */
  end(): void;
}

export interface LiveListenerOptions {
  url: string;
  log: Logger;
  /** How long connecting, and each statement, may take. */
  timeoutMs: number;
}

/**
 * Hears what the processes tell, over one connection that is open while somebody watches. When it is lost, everybody
 * is told that it ended: they ask for themselves until they can watch again.
 */
export class LiveListener {
  readonly #options: LiveListenerOptions;
  readonly #watchers = new Set<LiveWatcher>();
  #client: Promise<SteadyClient> | null = null;
  #closed = false;

  constructor(options: LiveListenerOptions) {
    this.#options = options;
  }

  /** How many watch. */
  get watchers(): number {
    return this.#watchers.size;
  }

  /**
   * Begins to tell a watcher.
   * @returns ends it
   * @throws when the store is away
   */
  async watch(watcher: LiveWatcher): Promise<() => void> {
    this.#watchers.add(watcher);
    const leave = () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#hangUp();
    };
    try {
      if (this.#closed) throw new Error('the process is closing');
      this.#client ??= this.#connect();
      await this.#client;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends everybody's stream, and the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#endAll();
    await client?.then((connected) => connected.end()).catch(() => undefined);
  }

  #connect(): Promise<SteadyClient> {
    const { url, timeoutMs } = this.#options;
    const client = new SteadyClient({
      connectionString: url,
      patienceMs: timeoutMs,
      connectionTimeoutMillis: timeoutMs,
      application_name: connectionName(),
    });
    const lost = () => {
      if (this.#client !== connecting) return;
      this.#options.log.warn('the connection that tells pages what changed was lost');
      this.#endAll();
    };
    const connecting = (async () => {
      try {
        await client.connect();
        await listenLive(client);
      } catch (error) {
        this.#client = null;
        await client.end().catch(() => undefined);
        throw error;
      }
      client.on('end', lost);
      client.on('notification', ({ channel, payload }) => {
        if (channel === LIVE_CHANNEL && payload) this.#tell(JSON.parse(payload) as Stale);
      });
      return client;
    })();
    return connecting;
  }

  #tell(stale: Stale): void {
    for (const watcher of this.#watchers) {
      const heard = watcher.accounts === 'all' ? Object.keys(stale) : [ALL, ...watcher.accounts];
      const topics = [...new Set(heard.flatMap((of) => stale[of] ?? []))];
      if (topics.length > 0) watcher.stale(topics);
    }
  }

  #endAll(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    this.#hangUp();
    for (const watcher of watchers) watcher.end();
  }

  #hangUp(): void {
    const client = this.#client;
    this.#client = null;
    client?.then((connected) => connected.end()).catch(() => undefined);
  }
}
