import { type BackendFactory, PostgresConnection, PostgresQueueBackend, runMigrations } from 'bullmq';
import type { Logger } from 'pino';
import { SteadyClient } from '../../../platform/store/connections/client.js';
import { type MeasuredPool, openPool } from '../../../platform/store/connections/pool.js';

export interface QueueConnectionOptions {
  url: string;
  /** Connections at the most; a worker listens on one more. */
  size: number;
  log: Logger;
}

/** The connection of a worker that hears of new jobs. */
interface Listening {
  client: SteadyClient;
  /** The same, once it listens. */
  ready: Promise<SteadyClient>;
}

const SCHEMA = 'bullmq';
/** On which BullMQ tells of every job that is added. */
const CHANNEL = 'bullmq_jobs';
const NAME = 'heliograph-queue';
/** How long the queue's PostgreSQL may take to answer: what BullMQ asks there is short. */
const PATIENCE_MS = 30_000;
/** Seconds after which a worker looks for jobs, though it was told of none. */
const LOOK_EVERY_SECONDS = 2;

/**
 * BullMQ's connections to the store, made as all others are.
 *
 * BullMQ (6.7) would make them itself, and listen for the errors of the one that hears of new jobs only once it is
 * connected: lost in that moment it ends the process. It would also keep a failure to open its tables for ever, so that a
 * PostgreSQL that went away in the first moments of a process would leave it without a queue until its end.
 */
class QueueConnection extends PostgresConnection {
  readonly #options: QueueConnectionOptions & { name: string };
  readonly #ownPool: MeasuredPool;
  #ready: Promise<void> | null = null;
  #listening: Listening | null = null;
  #closed: Promise<void> | null = null;

  constructor(options: QueueConnectionOptions & { name: string }) {
    const { url, size, log } = options;
    const parameters = { search_path: SCHEMA, synchronous_commit: 'off' };
    const pool = openPool({ url, size, log, patienceMs: PATIENCE_MS, name: NAME, parameters });
    super(pool as unknown as ConstructorParameters<typeof PostgresConnection>[0]);
    this.#options = options;
    this.#ownPool = pool;
  }

  override waitUntilReady(): Promise<void> {
    this.#ready ??= this.#makeTables().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  /** The connection that hears of new jobs; another one once it is lost. */
  override getListenClient(): ReturnType<PostgresConnection['getListenClient']> {
    if (!this.#listening || this.#listening.client.isLost) this.#listening = this.#listen();
    return this.#listening.ready as unknown as ReturnType<PostgresConnection['getListenClient']>;
  }

  override close(): Promise<void> {
    this.#closed ??= (async () => {
      await super.close();
      await this.#listening?.client.end().catch(() => undefined);
      await this.#ownPool.end();
    })();
    return this.#closed;
  }

  async #makeTables(): Promise<void> {
    const client = await this.#ownPool.connect();
    let broken: Error | undefined;
    try {
      await runMigrations(client, SCHEMA);
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
    // Who listens may not have begun yet.
    setTimeout(() => this.emit('ready'), 0);
  }

  #listen(): Listening {
    const { url, name } = this.#options;
    const client = new SteadyClient({
      connectionString: url,
      patienceMs: PATIENCE_MS,
      connectionTimeoutMillis: 10_000,
      application_name: name,
    });
    const lost = () => {
      if (this.#listening?.client !== client || this.isClosing) return;
      this.#listening = null;
      // Whoever waits for a job on it looks for one, and then waits on another.
      this.emit('listenerinvalidated');
      void client.end().catch(() => undefined);
    };
    client.once('error', lost);
    client.once('end', lost);
    const ready = (async () => {
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        return client;
      } catch (error) {
        lost();
        throw error;
      }
    })();
    return { client, ready };
  }
}

/** What hears of new jobs is a help and no more: a worker whose connection fails goes on looking for jobs. */
class StoreQueueBackend extends PostgresQueueBackend {
  override waitUntilReady(): Promise<void> {
    return this.connection.waitUntilReady();
  }

  /**
   * BullMQ (6.7) waits for up to an hour, and after a failure does not look for jobs before it is told of one: what it was
   * told of while the connection was away would wait for the next job that somebody adds.
   */
  override async waitForJob(seconds: number): ReturnType<PostgresQueueBackend['waitForJob']> {
    try {
      return await super.waitForJob(Math.min(seconds, LOOK_EVERY_SECONDS));
    } catch {
      // The worker looks for a job itself, and says of a store that is away.
      return null;
    }
  }
}

/** BullMQ on the store. */
export const storeBackend: BackendFactory<PostgresQueueBackend, QueueConnectionOptions> = (
  name,
  options,
  { withBlockingConnection } = {},
) => {
  const connection = new QueueConnection({
    ...options.connection,
    // By this name BullMQ finds the workers of a queue.
    name: withBlockingConnection ? name : NAME,
  });
  return new StoreQueueBackend(connection, name, options as never);
};
