import pg from 'pg';
import type { HeldConnection } from '../reaching/held-connections.js';
import { pooledQueries } from '../reaching/pooled-queries.js';
import { finderOf, type PrimaryFinder, withOneHost } from '../reaching/primary-finder.js';
import { KEEP_ALIVE, PEER_LOSS, type SessionParameters } from './session.js';
import { SESSION_SETTINGS, toStartupOptions } from './session-settings.js';

/** A name as it stands in a statement. */
export const { escapeIdentifier } = pg;

export interface SteadyClientConfig extends pg.ClientConfig {
  /** Milliseconds for which the answer to a statement is waited for; for ever unless told. */
  patienceMs?: number;
  /**
   * Whether each transaction may have another connection of the server, for a pooler is in between, and what is set at the
   * beginning of each: for every statement, and what only a transaction of several statements needs.
   */
  pooled?: { parameters: SessionParameters; ofTransactions?: SessionParameters };
  /** Parameters of PostgreSQL for this connection, besides SESSION_SETTINGS, which it replaces where both have one. */
  parameters?: Readonly<Record<string, string>>;
  /** Whether it sends no parameters at all, for a probe that may reach a pooler, which refuses them. */
  isProbe?: boolean;
}

/** What a statement may carry beside its text: see `Statement` of pool.ts. */
interface Patient {
  patienceMs?: number;
  submit?: unknown;
}

/** What says of a connection that its server takes no writes, and the SQLSTATE of what it refuses (read_only_sql_transaction). */
const READ_ONLY = ['in_hot_standby', 'default_transaction_read_only'];
const READ_ONLY_STATE = '25006';

/** Share of the time for connecting that the primary of several servers may be looked for. */
const FINDING_SHARE = 0.8;
const USUAL_CONNECT_MS = 10_000;

/** A statement was not answered in time. Whether it was committed is unknown, and its connection is gone. */
export class StoreSilentError extends Error {
  /** As a socket says it, so that Prisma and every look at failures knows it for a store that is away. */
  readonly code = 'ETIMEDOUT';

  constructor(patienceMs: number) {
    super(`the store did not answer within ${patienceMs} ms`);
    this.name = 'StoreSilentError';
  }
}

/**
 * A connection that may be lost at any time without ending the process, and on which no statement waits for ever. Every
 * connection to PostgreSQL is one: no other file than this and pool.ts may use the driver itself.
 *
 * An error without a listener ends a Node.js process, and there are moments without one: while a connection is made, while
 * it is out of its pool, and once a user has taken its listeners away. An error that nobody listens for is therefore none.
 * The user of the connection hears of the loss by its query, and the pool by `release`.
 *
 * A statement whose time is up takes its connection with it, for what PostgreSQL would still say there belongs to nobody:
 * all that was asked on it fails at once, the ROLLBACK of a transaction too. `pg` itself would leave the connection open
 * and let each of them wait anew.
 *
 * Of several servers it leads to the primary, and ends as soon as another one is.
 */
export class SteadyClient extends pg.Client {
  readonly #finder: PrimaryFinder | null;
  readonly #findMs: number;
  /** Of the server that it is to be connected to, where there are several. */
  #server: string | null = null;
  #isLost = false;
  #release: () => void = () => undefined;

  constructor(config: SteadyClientConfig = {}) {
    super({ ...KEEP_ALIVE, ...withOneHost(config) });
    const { patienceMs = 0, pooled = null, connectionString, connectionTimeoutMillis = USUAL_CONNECT_MS } = config;
    // A pooler takes no parameters for a connection that may be another in a moment.
    if (!pooled && !config.isProbe) addParameters(this, { ...SESSION_SETTINGS, ...PEER_LOSS, ...config.parameters });
    this.#finder = finderOf(connectionString, askServer);
    this.#findMs = connectionTimeoutMillis * FINDING_SHARE;
    if (patienceMs > 0 || pooled) {
      const { query } = pg.Client.prototype;
      const plain = (args: unknown[]): unknown => Reflect.apply(query, this, args);
      const ask = pooled ? pooledQueries(this, plain, pooled) : plain;
      const inTime = (args: unknown[]) => (patienceMs > 0 ? this.#askInTime(ask, args, patienceMs) : ask(args));
      Object.assign(this, { query: (...args: unknown[]) => inTime(args) });
    }
  }

  /** Whether the connection has failed or ended, whoever listened then. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Where the URL names several servers, to the one that takes writes. */
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

  /** Both forms of `query`: the one that takes a function to call, and the one that gives a promise. */
  #askInTime(ask: (args: unknown[]) => unknown, args: unknown[], usualMs: number): unknown {
    const statement = (typeof args[0] === 'object' ? args[0] : null) as Patient | null;
    // A cursor is asked again and again; its user says when it is done.
    if (typeof statement?.submit === 'function') return ask(args);
    const patienceMs = statement?.patienceMs ?? usualMs;
    const timer = setTimeout(() => this.#giveUp(patienceMs), patienceMs);
    const tell = args.at(-1);
    if (typeof tell === 'function') {
      const told = (...answer: unknown[]) => {
        clearTimeout(timer);
        Reflect.apply(tell, undefined, answer);
      };
      return ask([...args.slice(0, -1), told]);
    }
    const done = () => clearTimeout(timer);
    const answer = ask(args) as Promise<unknown>;
    answer.then(done, done);
    return answer;
  }

  async #connectToPrimary(finder: PrimaryFinder): Promise<this> {
    const { url: server, timeline } = await finder.find(this.#findMs);
    this.#server = server;
    const { host, port } = new pg.Client({ connectionString: server });
    Object.assign(this, { host, port });
    let refusal: string | null = null;
    // PostgreSQL tells both as a connection begins, and whenever they change (since 14).
    wireOf(this).on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (finder.takesWrites && READ_ONLY.includes(parameterName))
        refusal = parameterValue === 'on' ? parameterName : null;
    });
    try {
      const connecting = super.connect();
      this.#release = finder.hold(this.#seenFrom(timeline));
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

  #seenFrom(timeline: number): HeldConnection {
    const client = this as unknown as { readyForQuery?: boolean };
    const wire = wireOf(this);
    return {
      timeline,
      get isWaiting() {
        return client.readyForQuery !== true;
      },
      get bytesHeard() {
        return wire.stream.bytesRead;
      },
      abandon: (error) => wire.stream.destroy(error),
    };
  }

  #giveUp(patienceMs: number): void {
    wireOf(this).stream.destroy(new StoreSilentError(patienceMs));
  }
}

/** The connection beneath a client, which `pg`'s types leave out. */
interface ClientWire {
  stream: { readonly bytesRead: number; destroy(error: Error): void };
  on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): void;
}

function wireOf(client: pg.Client): ClientWire {
  return (client as unknown as { connection: ClientWire }).connection;
}

/** Adds to the options of the URL, which the driver would otherwise use in place of those that are passed to it. */
function addParameters(client: pg.Client, parameters: Readonly<Record<string, string>>): void {
  const { connectionParameters } = client as unknown as { connectionParameters: { options?: string } };
  connectionParameters.options = [connectionParameters.options, toStartupOptions(parameters)].filter(Boolean).join(' ');
}

async function askServer(url: string, withinMs: number, text: string): Promise<Readonly<Record<string, unknown>>> {
  const client = new SteadyClient({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    patienceMs: withinMs,
    isProbe: true,
  });
  try {
    await client.connect();
    return (await client.query(text)).rows[0] ?? {};
  } finally {
    await client.end().catch(() => undefined);
  }
}
