import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, SUPERUSER } from '../../../dist/platform/embedded/cluster/cluster.js';
import { startServer } from '../../../dist/platform/embedded/server/server.js';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { listWithChildren, signalAll } from '../programs.mjs';

const CONNECTIONS = 200;

/** Turns a copy of a server's data into a streaming standby of that server. */
export function configureStandby(data, { port, password }) {
  const connectionInfo = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${password}`;
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = '${connectionInfo}'\nwal_retrieve_retry_interval = '200ms'\n`,
  );
  writeFileSync(join(data, 'standby.signal'), '');
}

/** A PostgreSQL server that uses the embedded binaries. */
export class Server {
  port = 0;
  data;
  #paths;
  #user;
  #password;
  #connections;
  #server = null;
  #starting = null;

  constructor({ binaries, data, user, password, connections = CONNECTIONS }) {
    this.data = data;
    this.#paths = { binaries, data };
    this.#user = user;
    this.#password = password;
    this.#connections = connections;
  }

  async start() {
    this.port ||= await freePort();
    const { port, data } = this;
    const logFile = `${data}.log`;
    const options = { logFile, port, password: this.#password, user: this.#user, connections: this.#connections };
    this.#starting = startServer({ ...this.#paths, ...options });
    try {
      this.#server = await this.#starting;
    } finally {
      this.#starting = null;
    }
  }

  /** Runs a statement on a permanent connection to the server. */
  async query(text, values = []) {
    return (await this.#server.client.query(text, values)).rows;
  }

  url(database = DATABASE) {
    return `postgresql://${SUPERUSER}:${this.#password}@127.0.0.1:${this.port}/${database}`;
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  /** SIGINT ends the server cleanly, SIGQUIT ends it immediately, and SIGKILL simulates the loss of the machine. */
  async end(signal) {
    await this.#starting?.catch(() => undefined);
    if (!this.#server) return;
    const { child, client } = this.#server;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGKILL') this.signal('SIGKILL');
    else child.kill(signal);
    await exit;
    await client.end().catch(() => undefined);
  }

  signal(name) {
    const { child } = this.#server ?? {};
    const isRunning = child && child.exitCode === null && child.signalCode === null;
    if (isRunning) signalAll(listWithChildren(child.pid), name);
    else if (this.#starting) signalAll(this.#listStartingProcesses(), name);
  }

  /** Lists the processes of a server that is still starting. */
  #listStartingProcesses() {
    try {
      return listWithChildren(Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]));
    } catch {
      return [];
    }
  }
}
