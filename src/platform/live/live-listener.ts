import type { Logger } from 'pino';
import { SteadyClient } from '../store/connections/client.js';
import { getConnectionName } from '../store/connections/connection-name.js';
import { ALL, type StaleTopics } from './live-feed.js';
import { LIVE_CHANNEL, listenLive } from './live-store.js';

export interface LiveWatcher {
  accounts: 'all' | readonly string[];
  onStale(topics: readonly string[]): void;
  /** Called when the store becomes unreachable or this process stops. */
  onEnd(): void;
}

export interface LiveListenerOptions {
  url: string;
  log: Logger;
  /** Time limit for connecting and for each statement. */
  timeoutMs: number;
}

/** When the connection to PostgreSQL is lost, all watchers end and their console pages poll instead. */
export class LiveListener {
  readonly #options: LiveListenerOptions;
  readonly #watchers = new Set<LiveWatcher>();
  #client: Promise<SteadyClient> | null = null;
  #closed = false;

  constructor(options: LiveListenerOptions) {
    this.#options = options;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** @returns function to stop watching */
  async watch(watcher: LiveWatcher): Promise<() => void> {
    this.#watchers.add(watcher);
    const stopWatching = () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#disconnect();
    };
    try {
      if (this.#closed) throw new Error('the process is closing');
      this.#client ??= this.#connect();
      await this.#client;
    } catch (error) {
      stopWatching();
      throw error;
    }
    return stopWatching;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#endAll();
    await client?.then((connectedClient) => connectedClient.end()).catch(() => undefined);
  }

  #connect(): Promise<SteadyClient> {
    const { url, timeoutMs } = this.#options;
    const client = new SteadyClient({
      connectionString: url,
      patienceMs: timeoutMs,
      connectionTimeoutMillis: timeoutMs,
      application_name: getConnectionName(),
    });
    const onLost = () => {
      if (this.#client !== connecting) return;
      this.#options.log.warn('lost the connection that notifies console pages of changes');
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
      client.on('end', onLost);
      client.on('notification', ({ channel, payload }) => {
        if (channel === LIVE_CHANNEL && payload) this.#notifyWatchers(JSON.parse(payload) as StaleTopics);
      });
      return client;
    })();
    return connecting;
  }

  #notifyWatchers(stale: StaleTopics): void {
    for (const watcher of this.#watchers) {
      const accounts = watcher.accounts === 'all' ? Object.keys(stale) : [ALL, ...watcher.accounts];
      const topics = [...new Set(accounts.flatMap((account) => stale[account] ?? []))];
      if (topics.length > 0) watcher.onStale(topics);
    }
  }

  #endAll(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    this.#disconnect();
    for (const watcher of watchers) watcher.onEnd();
  }

  #disconnect(): void {
    const client = this.#client;
    this.#client = null;
    client?.then((connectedClient) => connectedClient.end()).catch(() => undefined);
  }
}
