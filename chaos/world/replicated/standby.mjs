import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { DATABASE, SUPERUSER } from '../../../dist/platform/embedded/cluster/cluster.js';
import { prepareCluster } from '../../../dist/platform/embedded/cluster/prepare-cluster.js';
import { run } from '../../../dist/platform/embedded/run.js';
import { findServerUser } from '../../../dist/platform/embedded/server/server-user.js';
import { atExit } from '../at-exit.mjs';
import { untilAnswered } from '../programs.mjs';
import { becomeStandby, Server } from './server.mjs';

const PASSWORD = 'of-the-run';
const log = pino({ level: 'silent' });

/** From the embedded binaries. Without a failover manager: call `promote`. */
export class StandbyPair {
  /** Names both hosts. */
  url = '';
  primary;
  standby;
  #folder;
  #isSynchronous;
  #gone = () => undefined;

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
    const server = (place) => new Server({ binaries, data: place, user, password: PASSWORD });
    this.primary = server(data);
    this.standby = server(`${data}-standby`);
    this.#gone = atExit(() => this.#killAll());
    await this.primary.start();
    await this.primary.ask(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
    await this.primary.ask(`ALTER SYSTEM SET wal_keep_size = '512MB'`);
    await this.primary.end('SIGINT');
    await this.#copyToStandby(user);
    await this.primary.start();
    await this.standby.start();
    await this.#untilCopied();
    if (this.#isSynchronous) {
      await this.primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await this.primary.ask('SELECT pg_reload_conf()');
    }
    this.url = `postgresql://${SUPERUSER}:${PASSWORD}@${this.primary.address},${this.standby.address}/${DATABASE}`;
  }

  /** Call this while the cluster is stopped. */
  async #copyToStandby(user) {
    const { data } = this.standby;
    cpSync(this.primary.data, data, { recursive: true, preserveTimestamps: true });
    becomeStandby(data, { port: this.primary.port, password: PASSWORD });
    if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, data]);
    chmodSync(data, 0o700);
  }

  async #untilCopied() {
    await untilAnswered(async () => {
      const [streaming] = await this.primary.ask(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
      if (!streaming) throw new Error('the standby does not copy yet');
    });
  }

  /** The old primary keeps running. */
  async promote() {
    const promoted = this.standby;
    await promoted.ask(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await promoted.ask('SELECT pg_reload_conf()');
    await promoted.ask('SELECT pg_promote(true, 60)');
    [this.primary, this.standby] = [promoted, this.primary];
  }

  async replay(goesOn) {
    await this.standby.ask(goesOn ? 'SELECT pg_wal_replay_resume()' : 'SELECT pg_wal_replay_pause()');
  }

  async bringBackStandby() {
    await this.standby.start();
    await this.#untilCopied();
  }

  async close() {
    this.#killAll();
    for (const server of [this.primary, this.standby]) await server?.end('SIGKILL').catch(() => undefined);
    this.#gone();
  }

  #killAll() {
    for (const server of [this.primary, this.standby]) server?.signal('SIGKILL');
  }
}
