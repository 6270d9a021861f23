import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../client.mjs';
import { Fleet } from '../world/fleet.mjs';
import { createCli } from '../world/set-up.mjs';
import { Store } from '../world/store.mjs';

const CONNECTIONS = 60;

/** A Heliograph server with one process and its own PostgreSQL. */
export class Server {
  #folder;
  #settings;

  /** @param {{name: string, folder: string, settings: Record<string, string>}} options */
  constructor({ name, folder, settings }) {
    this.name = name;
    this.#folder = join(folder, name);
    this.#settings = settings;
  }

  async open() {
    mkdirSync(this.#folder, { recursive: true });
    this.store = new Store(this.#folder, { smallDisk: false, connections: CONNECTIONS });
    await this.store.open();
    this.fleet = new Fleet({
      folder: this.#folder,
      roles: ['all'],
      settings: {
        DATABASE_URL: this.store.url,
        DATABASE_POOL_SIZE: '15',
        DATA_DIR: this.#folder,
        SEED_DEMO: 'false',
        RATE_LIMIT_PER_SECOND: '0',
        LOG_LEVEL: 'warn',
        ...this.#settings,
      },
    });
    await this.fleet.open();
    this.command = createCli({ storeUrl: this.store.url, folder: this.#folder });
  }

  get url() {
    return this.fleet.urls()[0];
  }

  createClient(random) {
    return new Client(() => this.fleet.urls(), random);
  }

  kill() {
    return this.#restart('SIGKILL');
  }

  restart() {
    return this.#restart('SIGTERM');
  }

  async #restart(signal) {
    const [member] = this.fleet.members();
    await this.fleet.restart(member, signal);
  }

  async countUnfinished(account) {
    const [{ count }] = await this.store.query(
      `SELECT count(*) FROM messages WHERE account_id = $1 AND status IN ('queued', 'sending', 'sent')`,
      [account],
    );
    return Number(count);
  }

  async close() {
    await this.fleet?.close();
    await this.store.close();
  }
}
