import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../dist/platform/embedded/embedded-postgres.js';
import { freezingProxy } from './freezing-proxy.mjs';
import { SmallDisk } from './small-disk.mjs';

/** A PostgreSQL of the run's own, durable as `npm start` has it, which processes reach through a proxy. */
export class Store {
  #folder;
  #disk = null;
  #postgres;
  #connections;

  /**
   * @param {{smallDisk: boolean, connections: number}} options whether it lies on a disk that can be full, and how many
   *   connections it takes at the least
   */
  constructor(folder, { smallDisk, connections }) {
    this.#folder = folder;
    this.#connections = connections;
    if (smallDisk) this.#disk = new SmallDisk(folder);
  }

  async open() {
    chmodSync(this.#folder, 0o755);
    if (this.#disk) {
      if (!this.#disk.mount()) throw new Error('no disk could be mounted');
      chmodSync(this.#disk.path, 0o755);
      this.#folder = this.#disk.path;
    }
    this.#postgres = await startEmbeddedPostgres({
      dataDir: this.#folder,
      log: pino({ level: 'silent' }),
      connections: this.#connections,
    });
    this.url = this.#postgres.url;
    // Whoever asks it finds that it is gone; the run ends by that, and with it all processes.
    this.#postgres.closed.catch(() => {});
    this.proxy = await freezingProxy(this.url);
    this.pool = new pg.Pool({ connectionString: this.url, max: 2, connectionTimeoutMillis: 5_000 });
    this.pool.on('error', () => {});
  }

  /** Its DATA_DIR. */
  get folder() {
    return this.#folder;
  }

  /** Where its cluster lies. */
  get data() {
    return this.#postgres.data;
  }

  /** Asks, past the proxy, until there is an answer: the server may just be away. */
  async ask(text, values = []) {
    for (let tries = 0; ; tries += 1) {
      try {
        return (await this.pool.query(text, values)).rows;
      } catch (error) {
        // What PostgreSQL refuses by a code of its own is wrong; classes 08, 53 and 57 say that it is away.
        if (tries === 60 || (error.code && !/^(08|53|57|E)/.test(error.code))) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** Ends every connection of the processes. */
  async terminateAll() {
    await this.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
  }

  /** Ends the server, which is started again: in order by SIGINT, at once by SIGQUIT. */
  async end(signal) {
    const ended = this.#pid();
    process.kill(ended, signal);
    while ([ended, null].includes(this.#pid())) await new Promise((resolve) => setTimeout(resolve, 50));
    await this.ask('SELECT 1');
  }

  /** The number of the server's process; null where it is not known in this moment. */
  #pid() {
    try {
      return Number(readFileSync(join(this.#postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return null;
    }
  }

  /** Lets no statement write, or lets them again. */
  async readOnly(isReadOnly) {
    await this.ask(
      isReadOnly
        ? 'ALTER SYSTEM SET default_transaction_read_only = on'
        : 'ALTER SYSTEM RESET default_transaction_read_only',
    );
    await this.ask('SELECT pg_reload_conf()');
  }

  /** Leaves no byte of its disk free. */
  fill() {
    this.#disk.fill();
  }

  makeRoom() {
    this.#disk.makeRoom();
  }

  async close() {
    await this.pool.end();
    await this.proxy.close();
    await this.#postgres.close();
    this.#disk?.unmount();
  }
}
