import { type BackendFactory, PostgresConnection, PostgresQueueBackend, runMigrations } from 'bullmq';
import type { Logger } from 'pino';
import { SteadyClient } from '../../../platform/store/connections/client.js';
import { type MeasuredPool, openPool } from '../../../platform/store/connections/pool.js';

export interface QueueConnectionOptions {
  url: string;
  size: number;
  log: Logger;
}

interface Listener {
  client: SteadyClient;
  /** Resolves once it listens. */
  ready: Promise<SteadyClient>;
}

const SCHEMA = 'bullmq';
const CHANNEL = 'bullmq_jobs';
const CONNECTION_NAME = 'heliograph-queue';
/** Timeout for statements of the queue, which are all short. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** A worker looks for jobs at least this often, even without a notification. */
const POLL_INTERVAL_SECONDS = 2;

/**
 * BullMQ (6.7) ends the process if the listening connection is lost while connecting. BullMQ also does not retry if its tables
 * cannot be opened, so an outage right after the start would leave the process without a queue.
 */
class QueueConnection extends PostgresConnection {
  readonly #options: QueueConnectionOptions & { name: string };
  readonly #measuredPool: MeasuredPool;
  #ready: Promise<void> | null = null;
  #listener: Listener | null = null;
  #closed: Promise<void> | null = null;

  constructor(options: QueueConnectionOptions & { name: string }) {
    const { url, size, log } = options;
    const parameters = { search_path: SCHEMA, synchronous_commit: 'off' };
    const pool = openPool({ url, size, log, patienceMs: STATEMENT_TIMEOUT_MS, name: CONNECTION_NAME, parameters });
    super(pool as unknown as ConstructorParameters<typeof PostgresConnection>[0]);
    this.#options = options;
    this.#measuredPool = pool;
  }

  override waitUntilReady(): Promise<void> {
    this.#ready ??= this.#createTables().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  override getListenClient(): ReturnType<PostgresConnection['getListenClient']> {
    if (!this.#listener || this.#listener.client.isLost) this.#listener = this.#listen();
    return this.#listener.ready as unknown as ReturnType<PostgresConnection['getListenClient']>;
  }

  override close(): Promise<void> {
    this.#closed ??= (async () => {
      await super.close();
      await this.#listener?.client.end().catch(() => undefined);
      await this.#measuredPool.end();
    })();
    return this.#closed;
  }

  async #createTables(): Promise<void> {
    const client = await this.#measuredPool.connect();
    let failure: Error | undefined;
    try {
      await runMigrations(client, SCHEMA);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
    // The event is deferred, because listeners may not be attached yet.
    setTimeout(() => this.emit('ready'), 0);
  }

  #listen(): Listener {
    const { url, name } = this.#options;
    const client = new SteadyClient({
      connectionString: url,
      patienceMs: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: 10_000,
      application_name: name,
    });
    const handleLoss = () => {
      if (this.#listener?.client !== client || this.isClosing) return;
      this.#listener = null;
      this.emit('listenerinvalidated');
      void client.end().catch(() => undefined);
    };
    client.once('error', handleLoss);
    client.once('end', handleLoss);
    const ready = (async () => {
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        return client;
      } catch (error) {
        handleLoss();
        throw error;
      }
    })();
    return { client, ready };
  }
}

/** Notifications are optional: a worker whose listening connection fails keeps polling. */
class StoreQueueBackend extends PostgresQueueBackend {
  override waitUntilReady(): Promise<void> {
    return this.connection.waitUntilReady();
  }

  /**
   * BullMQ (6.7) waits for a notification for up to an hour, and after a failure it does not poll. Without this poll, a job
   * that was announced during an outage would wait until another job is added.
   */
  override async waitForJob(seconds: number): ReturnType<PostgresQueueBackend['waitForJob']> {
    try {
      return await super.waitForJob(Math.min(seconds, POLL_INTERVAL_SECONDS));
    } catch {
      // Without a notification, the worker polls for a job.
      return null;
    }
  }
}

export const storeBackend: BackendFactory<PostgresQueueBackend, QueueConnectionOptions> = (
  name,
  options,
  { withBlockingConnection } = {},
) => {
  const connection = new QueueConnection({
    ...options.connection,
    name: withBlockingConnection ? name : CONNECTION_NAME,
  });
  return new StoreQueueBackend(connection, name, options as never);
};
