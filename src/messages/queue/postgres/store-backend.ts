import { type BackendFactory, PostgresConnection, PostgresQueueBackend, runMigrations } from 'bullmq';
import type { Logger } from 'pino';
import { SteadyClient } from '../../../platform/store/connections/client.js';
import { type MeasuredPool, openPool } from '../../../platform/store/connections/pool.js';

export interface QueueConnectionOptions {
  url: string;
  size: number;
  log: Logger;
}

interface Listening {
  client: SteadyClient;
  /** Resolves once it listens. */
  ready: Promise<SteadyClient>;
}

const SCHEMA = 'bullmq';
const CHANNEL = 'bullmq_jobs';
const NAME = 'heliograph-queue';
/** For statements of the queue, which are all short. */
const PATIENCE_MS = 30_000;
/** A worker looks for jobs at least this often, even without a notification. */
const LOOK_EVERY_SECONDS = 2;

/**
 * BullMQ (6.7) would end the process if the listening connection is lost before it is connected. It also never retries
 * opening its tables, so an outage right after the start would leave the process without a queue.
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
    // Deferred, because listeners may not be attached yet.
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

/** Notifications are optional: a worker whose listening connection fails keeps polling. */
class StoreQueueBackend extends PostgresQueueBackend {
  override waitUntilReady(): Promise<void> {
    return this.connection.waitUntilReady();
  }

  /**
   * BullMQ (6.7) waits for up to an hour, and after a failure does not poll for jobs before the next notification. Jobs
   * announced during an outage would then wait until somebody adds another.
   */
  override async waitForJob(seconds: number): ReturnType<PostgresQueueBackend['waitForJob']> {
    try {
      return await super.waitForJob(Math.min(seconds, LOOK_EVERY_SECONDS));
    } catch {
      // The worker polls for a job anyway.
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
    name: withBlockingConnection ? name : NAME,
  });
  return new StoreQueueBackend(connection, name, options as never);
};
