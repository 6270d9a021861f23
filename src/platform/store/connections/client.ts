import pg from 'pg';
import { getFinder, type PrimaryFinder, selectFirstHost } from '../servers/primary-finder.js';
import type { TrackedConnection } from '../servers/tracked-connections.js';
import { createPooledQuery } from './pooled-queries.js';
import { KEEP_ALIVE, PEER_LOSS, type SessionParameters } from './session.js';
import { SESSION_SETTINGS, toStartupOptions } from './session-settings.js';

export const { escapeIdentifier } = pg;

export interface SteadyClientConfig extends pg.ClientConfig {
  /** Default: forever. */
  patienceMs?: number;
  /** Set if a pooler may assign a different server connection to each transaction. */
  pooled?: { parameters: SessionParameters; transactionParameters?: SessionParameters };
  parameters?: Readonly<Record<string, string>>;
  /** Whether to omit connection parameters, which a pooler would reject. */
  isProbe?: boolean;
}

/** See `Statement` in pool.ts. */
interface TimedStatement {
  patienceMs?: number;
  submit?: unknown;
}

/** Parameters that a read-only PostgreSQL server reports as `on`. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];
const READ_ONLY_STATE = '25006';

const SEARCH_SHARE = 0.8;
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

/** A statement that timed out may have been committed, and its connection is closed. */
export class StoreTimeoutError extends Error {
  /** Makes Prisma and our own checks treat the timeout as an unreachable store. */
  readonly code = 'ETIMEDOUT';

  constructor(patienceMs: number) {
    super(`the store did not answer within ${patienceMs} ms`);
    this.name = 'StoreSilentError';
  }
}

/**
 * All connections to PostgreSQL use `SteadyClient`; only client.ts and pool.ts may use the driver directly.
 *
 * SteadyClient drops `error` events that have no listener, because they would end the process. Callers learn about a lost
 * connection from a failed query, and the pool learns about it from `release`.
 *
 * A statement that times out closes its connection, because a late response could not be matched to a query.
 */
export class SteadyClient extends pg.Client {
  readonly #finder: PrimaryFinder | null;
  readonly #searchTimeoutMs: number;
  #server: string | null = null;
  #isLost = false;
  #release: () => void = () => undefined;

  constructor(config: SteadyClientConfig = {}) {
    super({ ...KEEP_ALIVE, ...selectFirstHost(config) });
    const {
      patienceMs = 0,
      pooled = null,
      connectionString,
      connectionTimeoutMillis = DEFAULT_CONNECT_TIMEOUT_MS,
    } = config;
    // Parameters are useless with a pooler, which may change the server connection at any time.
    if (!pooled && !config.isProbe) addParameters(this, { ...SESSION_SETTINGS, ...PEER_LOSS, ...config.parameters });
    this.#finder = getFinder(connectionString, queryServer);
    this.#searchTimeoutMs = connectionTimeoutMillis * SEARCH_SHARE;
    if (patienceMs > 0 || pooled) {
      const { query } = pg.Client.prototype;
      const queryDirectly = (args: unknown[]): unknown => Reflect.apply(query, this, args);
      const runQuery = pooled ? createPooledQuery(this, queryDirectly, pooled) : queryDirectly;
      const runInTime = (args: unknown[]) =>
        patienceMs > 0 ? this.#queryInTime(runQuery, args, patienceMs) : runQuery(args);
      Object.assign(this, { query: (...args: unknown[]) => runInTime(args) });
    }
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  override connect(): Promise<this>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<this> | undefined {
    const connecting = this.#finder ? this.#connectToPrimary(this.#finder) : null;
    if (!done) return connecting ?? (super.connect() as Promise<this>);
    if (connecting) connecting.then(() => done(undefined as never), done);
    else super.connect(done);
    return undefined;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'error' || event === 'end') this.#isLost = true;
    if (event === 'end') this.#release();
    if (event === 'error' && this.#server !== null) this.#finder?.suspect(this.#server);
    if (event === 'error' && this.listenerCount('error') === 0) return false;
    return super.emit(event as 'error', ...(args as [Error]));
  }

  #queryInTime(runQuery: (args: unknown[]) => unknown, args: unknown[], defaultMs: number): unknown {
    const statement = (typeof args[0] === 'object' ? args[0] : null) as TimedStatement | null;
    if (typeof statement?.submit === 'function') return runQuery(args);
    const patienceMs = statement?.patienceMs ?? defaultMs;
    const timer = setTimeout(() => this.#giveUp(patienceMs), patienceMs);
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const callbackAndClear = (...answer: unknown[]) => {
        clearTimeout(timer);
        Reflect.apply(callback, undefined, answer);
      };
      return runQuery([...args.slice(0, -1), callbackAndClear]);
    }
    const clearTimer = () => clearTimeout(timer);
    const answer = runQuery(args) as Promise<unknown>;
    answer.then(clearTimer, clearTimer);
    return answer;
  }

  async #connectToPrimary(finder: PrimaryFinder): Promise<this> {
    const { url: server, timeline } = await finder.find(this.#searchTimeoutMs);
    this.#server = server;
    const { host, port } = new pg.Client({ connectionString: server });
    Object.assign(this, { host, port });
    let refusal: string | null = null;
    // Since version 14, PostgreSQL reports the read-only parameters on connect and on every change.
    findWire(this).on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (finder.needsWrites && READ_ONLY_PARAMETERS.includes(parameterName))
        refusal = parameterValue === 'on' ? parameterName : null;
    });
    try {
      const connecting = super.connect();
      this.#release = finder.track(this.#toTrackedConnection(timeline));
      await connecting;
    } catch (error) {
      finder.suspect(server);
      throw error;
    }
    if (refusal === null) return this;
    finder.suspect(server);
    await this.end();
    throw Object.assign(new Error(`the server takes no writes (${refusal} is on)`), { code: READ_ONLY_STATE });
  }

  #toTrackedConnection(timeline: number): TrackedConnection {
    const client = this as unknown as { readyForQuery?: boolean };
    const wire = findWire(this);
    return {
      timeline,
      get isWaiting() {
        return client.readyForQuery !== true;
      },
      get bytesReceived() {
        return wire.stream.bytesRead;
      },
      abandon: (error) => wire.stream.destroy(error),
    };
  }

  #giveUp(patienceMs: number): void {
    findWire(this).stream.destroy(new StoreTimeoutError(patienceMs));
  }
}

/** Missing from `pg`'s types. */
interface ClientWire {
  stream: { readonly bytesRead: number; destroy(error: Error): void };
  on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): void;
}

function findWire(client: pg.Client): ClientWire {
  return (client as unknown as { connection: ClientWire }).connection;
}

/** Appends parameters to the options in the URL, because the driver would ignore options passed separately. */
function addParameters(client: pg.Client, parameters: Readonly<Record<string, string>>): void {
  const { connectionParameters } = client as unknown as { connectionParameters: { options?: string } };
  connectionParameters.options = [connectionParameters.options, toStartupOptions(parameters)].filter(Boolean).join(' ');
}

async function queryServer(url: string, timeoutMs: number, text: string): Promise<Readonly<Record<string, unknown>>> {
  const client = new SteadyClient({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    patienceMs: timeoutMs,
    isProbe: true,
  });
  try {
    await client.connect();
    return (await client.query(text)).rows[0] ?? {};
  } finally {
    await client.end().catch(() => undefined);
  }
}
