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
import { retryUntilSuccess } from '../programs.mjs';
import { Store } from '../store.mjs';
import { configureStandby, Server } from './server.mjs';

/** Errors after which the base backup is repeated, because a file was removed or the server was down. */
const RETRYABLE = /^(08|53|57|E)/;
const MAX_TRIES = 60;
const log = pino({ level: 'silent' });

/** A store with an asynchronous replica, to which processes connect without the proxy. */
export class StoreWithReplica extends Store {
  replica = null;
  #replicaData;
  #connections;
  #user;
  #unregister = () => undefined;

  /** @param {{smallDisk: boolean, connections: number}} options see `Store` */
  constructor(folder, options) {
    super(folder, options);
    this.#replicaData = join(folder, 'replica');
    this.#connections = options.connections;
  }

  get replicaUrl() {
    return this.replica.url();
  }

  async open() {
    await super.open();
    this.#user = await findServerUser(join(this.folder, 'postgres'));
    await this.query(`ALTER SYSTEM SET wal_keep_size = '512MB'`);
    await this.query('SELECT pg_reload_conf()');
    this.#unregister = atExit(() => this.replica?.signal('SIGKILL'));
    await this.copyFromPrimary();
  }

  async copyFromPrimary() {
    const { password } = new URL(this.url);
    const { binaries } = await prepareCluster({ dataDir: this.folder, password, user: this.#user, log });
    const data = this.#replicaData;
    this.replica ??= new Server({ binaries, data, user: this.#user, password, connections: this.#connections });
    await this.replica.end('SIGKILL');
    for (let tries = 1; !(await this.#copy(data)); tries += 1) {
      if (tries === MAX_TRIES) throw new Error('the replica could not be created');
    }
    configureStandby(data, { port: new URL(this.url).port, password });
    if (this.#user) await run('chown', ['-R', `${this.#user.uid}:${this.#user.gid}`, data]);
    chmodSync(data, 0o700);
    await this.bringBackReplica();
  }

  /**
   * Copies the primary's data except the write-ahead log, which the replica fetches itself. Returns false if the copy must be
   * repeated.
   */
  async #copy(data) {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`SELECT pg_backup_start('chaos', true)`);
      rmSync(data, { recursive: true, force: true });
      const isExcluded = (path) =>
        basename(path) === 'postmaster.pid' || ['pg_wal', 'pg_stat_tmp'].includes(basename(dirname(path)));
      await cp(this.data, data, { recursive: true, filter: (path) => !isExcluded(path) && !/\.s\.PGSQL/.test(path) });
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
      writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
      mkdirSync(join(data, 'pg_wal', 'archive_status'), { recursive: true });
      return true;
    } catch (error) {
      if (!RETRYABLE.test(error.code ?? '')) throw error;
      await pause(500);
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async bringBackReplica() {
    await this.replica.start();
    await retryUntilSuccess(async () => {
      const [streaming] = await this.query(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
      if (!streaming) throw new Error('the replica is not streaming yet');
    });
  }

  /** Pauses or resumes replaying the write-ahead log on the replica. */
  async setReplay(isOn) {
    await this.replica.query(isOn ? 'SELECT pg_wal_replay_resume()' : 'SELECT pg_wal_replay_pause()');
  }

  async close() {
    await this.replica?.end('SIGKILL');
    this.#unregister();
    await super.close();
  }
}
