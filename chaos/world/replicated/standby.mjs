import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { DATABASE, SUPERUSER } from '../../../dist/platform/embedded/cluster/cluster.js';
import { prepareCluster } from '../../../dist/platform/embedded/cluster/prepare-cluster.js';
import { run } from '../../../dist/platform/embedded/run.js';
import { findServerUser } from '../../../dist/platform/embedded/server/server-user.js';
import { atExit } from '../at-exit.mjs';
import { retryUntilSuccess } from '../programs.mjs';
import { configureStandby, Server } from './server.mjs';

const PASSWORD = 'of-the-run';
const log = pino({ level: 'silent' });

/** A primary and a standby that use the embedded binaries, without a failover manager. */
export class StandbyPair {
  /** A URL with the addresses of both servers. */
  url = '';
  primary;
  standby;
  #folder;
  #isSynchronous;
  #unregister = () => undefined;

  /**
   * @param {string} folder
   * @param {{isSynchronous?: boolean}} [options] whether commits wait for the standby
   */
  constructor(folder, { isSynchronous = true } = {}) {
    this.#folder = join(folder, 'pair');
    this.#isSynchronous = isSynchronous;
  }

  async open() {
    chmodSync(join(this.#folder, '..'), 0o755);
    mkdirSync(this.#folder, { mode: 0o755 });
    const dataDir = join(this.#folder, 'primary');
    mkdirSync(dataDir, { mode: 0o755 });
    const user = await findServerUser(join(dataDir, 'postgres'));
    const { binaries, data } = await prepareCluster({ dataDir, password: PASSWORD, user, log });
    const createServer = (dataFolder) => new Server({ binaries, data: dataFolder, user, password: PASSWORD });
    this.primary = createServer(data);
    this.standby = createServer(`${data}-standby`);
    this.#unregister = atExit(() => this.#killAll());
    await this.primary.start();
    await this.primary.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
    await this.primary.query(`ALTER SYSTEM SET wal_keep_size = '512MB'`);
    await this.primary.end('SIGINT');
    await this.#copyToStandby(user);
    await this.primary.start();
    await this.standby.start();
    await this.#waitUntilStreaming();
    if (this.#isSynchronous) {
      await this.primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await this.primary.query('SELECT pg_reload_conf()');
    }
    this.url = `postgresql://${SUPERUSER}:${PASSWORD}@${this.primary.address},${this.standby.address}/${DATABASE}`;
  }

  /** Copies the data of the primary, which must be stopped. */
  async #copyToStandby(user) {
    const { data } = this.standby;
    cpSync(this.primary.data, data, { recursive: true, preserveTimestamps: true });
    configureStandby(data, { port: this.primary.port, password: PASSWORD });
    if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, data]);
    chmodSync(data, 0o700);
  }

  async #waitUntilStreaming() {
    await retryUntilSuccess(async () => {
      const [streaming] = await this.primary.query(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
      if (!streaming) throw new Error('the standby is not streaming yet');
    });
  }

  /** Makes the standby the primary, while the old primary keeps running. */
  async promote() {
    const promoted = this.standby;
    await promoted.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await promoted.query('SELECT pg_reload_conf()');
    await promoted.query('SELECT pg_promote(true, 60)');
    [this.primary, this.standby] = [promoted, this.primary];
  }

  async setReplay(isOn) {
    await this.standby.query(isOn ? 'SELECT pg_wal_replay_resume()' : 'SELECT pg_wal_replay_pause()');
  }

  async bringBackStandby() {
    await this.standby.start();
    await this.#waitUntilStreaming();
  }

  async close() {
    this.#killAll();
    for (const server of [this.primary, this.standby]) await server?.end('SIGKILL').catch(() => undefined);
    this.#unregister();
  }

  #killAll() {
    for (const server of [this.primary, this.standby]) server?.signal('SIGKILL');
  }
}
