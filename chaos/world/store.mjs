import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../dist/platform/embedded/embedded-postgres.js';
import { freezingProxy } from './freezing-proxy.mjs';
import { SmallDisk } from './small-disk.mjs';

/** A PostgreSQL with durable commits, to which processes connect through a proxy. */
export class Store {
  #folder;
  #disk = null;
  #postgres;
  #connections;

  /**
   * @param {{smallDisk: boolean, connections: number}} options whether the disk can be filled, and the minimum max_connections
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
    // If PostgreSQL ends, the next query fails and ends the run, so the rejection of `closed` is ignored.
    this.#postgres.closed.catch(() => {});
    this.proxy = await freezingProxy(this.url);
    this.pool = new pg.Pool({ connectionString: this.url, max: 2, connectionTimeoutMillis: 5_000 });
    this.pool.on('error', () => {});
  }

  get folder() {
    return this.#folder;
  }

  get data() {
    return this.#postgres.data;
  }

  /** Runs a statement without the proxy, and retries while the server is down. */
  async query(text, values = []) {
    for (let tries = 0; ; tries += 1) {
      try {
        return (await this.pool.query(text, values)).rows;
      } catch (error) {
        // Only SQLSTATE classes 08, 53 and 57 and system errors (`E…`) mean that the server is down or overloaded, so that a
        // retry helps.
        if (tries === 60 || (error.code && !/^(08|53|57|E)/.test(error.code))) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  async terminateAll() {
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
  }

  /** Stops the server, cleanly with SIGINT or immediately with SIGQUIT, and waits until it has been restarted. */
  async end(signal) {
    const pid = this.#readPid();
    process.kill(pid, signal);
    while ([pid, null].includes(this.#readPid())) await new Promise((resolve) => setTimeout(resolve, 50));
    await this.query('SELECT 1');
  }

  #readPid() {
    try {
      return Number(readFileSync(join(this.#postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return null;
    }
  }

  async setReadOnly(isReadOnly) {
    await this.query(
      isReadOnly
        ? 'ALTER SYSTEM SET default_transaction_read_only = on'
        : 'ALTER SYSTEM RESET default_transaction_read_only',
    );
    await this.query('SELECT pg_reload_conf()');
  }

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
