import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { prepareCluster } from '../../../dist/platform/embedded/cluster/prepare-cluster.js';
import { run } from '../../../dist/platform/embedded/run.js';
import { findServerUser } from '../../../dist/platform/embedded/server/server-user.js';
import { atExit } from '../at-exit.mjs';
import { untilAnswered } from '../programs.mjs';
import { Store } from '../store.mjs';
import { becomeStandby, Server } from './server.mjs';

/** A base backup is repeated after these errors: a removed file, or a server that was away. */
const GOES_ON = /^(08|53|57|E)/;
const TRIES = 60;
const log = pino({ level: 'silent' });

/** The replica streams asynchronously, and processes reach it without the proxy. */
export class StoreWithReplica extends Store {
  replica = null;
  #place;
  #connections;
  #user;
  #gone = () => undefined;

  /** @param {{smallDisk: boolean, connections: number}} options as for `Store` */
  constructor(folder, options) {
    super(folder, options);
    this.#place = join(folder, 'replica');
    this.#connections = options.connections;
  }

  get replicaUrl() {
    return this.replica.url();
  }

  async open() {
    await super.open();
    this.#user = await findServerUser(join(this.folder, 'postgres'));
    await this.ask(`ALTER SYSTEM SET wal_keep_size = '512MB'`);
    await this.ask('SELECT pg_reload_conf()');
    this.#gone = atExit(() => this.replica?.signal('SIGKILL'));
    await this.copyAgain();
  }

  async copyAgain() {
    const { password } = new URL(this.url);
    const { binaries } = await prepareCluster({ dataDir: this.folder, password, user: this.#user, log });
    const data = this.#place;
    this.replica ??= new Server({ binaries, data, user: this.#user, password, connections: this.#connections });
    await this.replica.end('SIGKILL');
    for (let tries = 1; !(await this.#copy(data)); tries += 1) {
      if (tries === TRIES) throw new Error('the store could not be copied');
    }
    becomeStandby(data, { port: new URL(this.url).port, password });
    if (this.#user) await run('chown', ['-R', `${this.#user.uid}:${this.#user.gid}`, data]);
    chmodSync(data, 0o700);
    await this.bringBackReplica();
  }

  /** Without write-ahead log, which the replica fetches itself. */
  async #copy(data) {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`SELECT pg_backup_start('chaos', true)`);
      rmSync(data, { recursive: true, force: true });
      const isLeftOut = (path) =>
        basename(path) === 'postmaster.pid' || ['pg_wal', 'pg_stat_tmp'].includes(basename(dirname(path)));
      await cp(this.data, data, { recursive: true, filter: (path) => !isLeftOut(path) && !/\.s\.PGSQL/.test(path) });
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
      writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
      mkdirSync(join(data, 'pg_wal', 'archive_status'), { recursive: true });
      return true;
    } catch (error) {
      if (!GOES_ON.test(error.code ?? '')) throw error;
      await pause(500);
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async bringBackReplica() {
    await this.replica.start();
    await untilAnswered(async () => {
      const [streaming] = await this.ask(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
      if (!streaming) throw new Error('the replica does not copy yet');
    });
  }

  async replay(goesOn) {
    await this.replica.ask(goesOn ? 'SELECT pg_wal_replay_resume()' : 'SELECT pg_wal_replay_pause()');
  }

  async close() {
    await this.replica?.end('SIGKILL');
    this.#gone();
    await super.close();
  }
}
