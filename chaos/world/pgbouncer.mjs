import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { Program, retryUntilSuccess } from './programs.mjs';

/** A PgBouncer in transaction mode between the processes and the store. */
export class PgBouncer {
  url = '';
  #folder;
  #target;
  #program;

  /** @param {string} target URL of the store, over TCP */
  constructor(folder, target) {
    this.#folder = join(folder, 'pgbouncer');
    this.#target = new URL(target);
  }

  async open() {
    const port = await freePort();
    const { hostname, port: storePort, pathname, username, password } = this.#target;
    const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
    this.url = `postgresql://any@127.0.0.1:${port}/${database}`;
    const server = { host: hostname, port: storePort, dbname: database, user: decodeURIComponent(username) };
    const options = Object.entries({ ...server, password: decodeURIComponent(password) });
    mkdirSync(this.#folder);
    // PgBouncer refuses to run as root, so its own user must be able to read the settings.
    chmodSync(this.#folder, 0o755);
    const settings = join(this.#folder, 'pgbouncer.ini');
    writeFileSync(
      settings,
      [
        '[databases]',
        `${database} = ${options.map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`).join(' ')}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        'default_pool_size = 20',
        'max_client_conn = 1000',
        // By default PgBouncer refuses every client for 15 seconds after one failed connection.
        'server_login_retry = 1',
        '',
      ].join('\n'),
    );
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    this.#program = new Program('pgbouncer', [...user, settings], join(this.#folder, 'output.log'));
    await this.start();
  }

  get pid() {
    return this.#program.pid;
  }

  async start() {
    this.#program.start();
    await retryUntilSuccess(async () => {
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('SELECT 1');
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  }

  async end(signal) {
    await this.#program.end(signal);
  }

  signal(name) {
    this.#program.signal(name);
  }

  async close() {
    await this.#program?.end();
  }
}
