import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { openPool } from '../../../dist/platform/store/connections/pool.js';
import { atExit } from '../at-exit.mjs';
import { hasProgram, listWithChildren, Program, retryUntilSuccess, signalAll } from '../programs.mjs';

const FOLDERS = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`);
const PASSWORD = 'of the run';
/** Patroni replaces a primary that is silent for this long, in seconds. The default is 30. */
const TTL = 10;

/**
 * Version 3 of etcd's API can lose commits with Patroni 3, because a paused primary may take back the leader key
 * (patroni/patroni#2689, #2783). Version 2 of the API avoids this problem, and is supported up to etcd 3.5.
 */
const needsEtcdVersion2 = () => {
  const major = Number(/\d+/.exec(spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout)?.[0]);
  return major < 4;
};

const findBinaries = () => FOLDERS.find((folder) => existsSync(join(folder, 'pg_basebackup'))) ?? null;

/** Returns null if this machine has every program that Patroni needs. */
export function describeMissingForPatroni() {
  if (!findBinaries()) return 'PostgreSQL with pg_basebackup is not installed (apt-get install postgresql).';
  const missing = ['etcd', 'patroni'].filter((name) => !hasProgram(name));
  if (missing.length === 0) return null;
  return `${missing.join(' and ')} must be installed (apt-get install etcd-server patroni python3-etcd).`;
}

/** A PostgreSQL primary and a synchronous standby, managed by Patroni with etcd. */
export class PatroniStore {
  url = '';
  pool;
  #folder;
  #nodes = [];
  #etcd;
  #user = findServerUser();
  #unregister = () => undefined;

  constructor(folder) {
    this.#folder = join(folder, 'patroni');
  }

  async open() {
    // A killed Patroni leaves its PostgreSQL running, so PostgreSQL is killed separately.
    this.#unregister = atExit(() => this.#killAll());
    mkdirSync(this.#folder, { mode: 0o755 });
    chmodSync(join(this.#folder, '..'), 0o755);
    const etcd = await this.#startEtcd();
    for (const number of [0, 1]) this.#nodes.push(await this.#createNode(number, etcd));
    // The first node creates the cluster, and the second node copies it.
    for (const node of this.#nodes) {
      node.program.start();
      await retryUntilSuccess(() => this.#findPrimary());
    }
    await this.waitUntilSettled();
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    this.url = `postgresql://postgres:${encodeURIComponent(PASSWORD)}@${hosts}/heliograph?target_session_attrs=read-write`;
    await this.#queryAt((await this.#findPrimary()).port, 'CREATE DATABASE heliograph', 'postgres');
    this.pool = openPool({ url: this.url, size: 2, log: pino({ level: 'silent' }) });
  }

  async #startEtcd() {
    const [client, peer] = [await freePort(), await freePort()];
    const folder = join(this.#folder, 'etcd');
    mkdirSync(folder, { mode: 0o700 });
    const localUrl = (port) => `http://127.0.0.1:${port}`;
    const settings = {
      ...{ name: 'one', 'data-dir': folder, 'initial-cluster': `one=${localUrl(peer)}` },
      ...{ 'listen-client-urls': localUrl(client), 'advertise-client-urls': localUrl(client) },
      ...{ 'listen-peer-urls': localUrl(peer), 'initial-advertise-peer-urls': localUrl(peer) },
    };
    const version2 = needsEtcdVersion2();
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    if (version2) args.push('--enable-v2=true');
    this.#etcd = new Program('etcd', args, join(this.#folder, 'etcd.log'));
    this.#etcd.start();
    await retryUntilSuccess(async () => {
      if (!(await fetch(`${localUrl(client)}/health`)).ok) throw new Error('etcd is not ready');
    });
    return { [version2 ? 'etcd' : 'etcd3']: { hosts: [`127.0.0.1:${client}`] } };
  }

  async #createNode(number, etcd) {
    const [port, api] = [await freePort(), await freePort()];
    const folder = join(this.#folder, `node-${number}`);
    mkdirSync(folder, { mode: 0o700 });
    if (this.#user) chownSync(folder, this.#user.uid, this.#user.gid);
    const data = join(folder, 'data');
    const settings = join(folder, 'patroni.json');
    // Patroni reads YAML, of which JSON is a subset.
    writeFileSync(settings, JSON.stringify(this.#settings({ number, port, api, folder, data, etcd }), null, 2));
    if (this.#user) chownSync(settings, this.#user.uid, this.#user.gid);
    const program = new Program('patroni', [settings], join(this.#folder, `node-${number}.log`), {
      ...this.#user,
      cwd: folder,
    });
    return { name: `node-${number}`, port, api, folder, data, program };
  }

  #settings({ number, port, api, folder, data, etcd }) {
    const parameters = { max_connections: 200, unix_socket_directories: folder, wal_keep_size: '256MB' };
    return {
      scope: 'heliograph',
      name: `node-${number}`,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      ...etcd,
      bootstrap: {
        dcs: {
          ...{ ttl: TTL, loop_wait: 2, retry_timeout: 3, maximum_lag_on_failover: 1_048_576 },
          // PostgreSQL confirms a COMMIT only after the standby has it.
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters },
        },
        initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
        pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      },
      postgresql: {
        ...{
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: data,
          bin_dir: findBinaries(),
        },
        authentication: {
          superuser: { username: 'postgres', password: PASSWORD },
          replication: { username: 'replicator', password: PASSWORD },
        },
        pgpass: join(folder, 'pgpass'),
        parameters: { unix_socket_directories: folder },
      },
    };
  }

  /** Returns the node that Patroni reports as the primary. */
  async #findPrimary() {
    for (const node of this.#nodes) {
      const status = await fetch(`http://127.0.0.1:${node.api}/primary`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) return node;
    }
    throw new Error('no node is the primary');
  }

  /** Waits until both nodes run, and the standby confirms commits and may take over. */
  async waitUntilSettled() {
    await retryUntilSuccess(
      async () => {
        const primary = await this.#findPrimary();
        const standby = this.#nodes.find((node) => node !== primary);
        // Patroni promotes only a node that it has recorded as synchronous, so PostgreSQL's own report is not enough.
        const { status } = await fetch(`http://127.0.0.1:${standby.api}/synchronous`);
        if (status !== 200) throw new Error('the standby is not synchronous yet');
      },
      { withinMs: 120_000, everyMs: 250 },
    );
  }

  async #queryAt(port, text, database = 'heliograph') {
    const url = `postgresql://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Runs a statement. After a connection error, the statement is repeated, because another node may become the primary. */
  async query(text, values = []) {
    return await retryUntilSuccess(async () => {
      try {
        return (await this.pool.query(text, values)).rows;
      } catch (error) {
        // The statement is not repeated after other errors, because they would happen again.
        if (error.code && !/^(08|25|53|57|E)/.test(error.code))
          return Promise.reject(Object.assign(error, { isFinal: true }));
        throw error;
      }
    });
  }

  /** Kills Patroni and PostgreSQL of the primary, and returns its node when another node has become the primary. */
  async loseMachine() {
    const lost = await this.#findPrimary();
    await lost.program.end();
    this.#killPostgres(lost);
    await this.#waitForOtherPrimary(lost);
    return lost;
  }

  /** Restarts the node, which Patroni turns into a standby. */
  async bringBack({ program }) {
    program.start();
    await this.waitUntilSettled();
  }

  async pausePrimary(milliseconds) {
    const primary = await this.#findPrimary();
    const pids = [primary.program.pid, ...this.#listPostgresProcesses(primary)];
    signalAll(pids, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    signalAll(pids, 'SIGCONT');
    await this.waitUntilSettled();
  }

  /** Starts the old primary without Patroni, so that two servers accept writes for some time. */
  async returnWithoutPatroni(lost, milliseconds) {
    const server = new Program(
      join(findBinaries(), 'postgres'),
      ['-D', lost.data],
      join(this.#folder, `${lost.name}.log`),
      {
        ...this.#user,
        cwd: lost.folder,
      },
    );
    server.start();
    await retryUntilSuccess(() => this.#queryAt(lost.port, 'SELECT 1', 'postgres'));
    const [{ standby }] = await this.#queryAt(lost.port, 'SELECT pg_is_in_recovery() AS standby', 'postgres');
    if (standby) throw new Error('the old primary came back as a standby by itself');
    // Clients must reconnect now, while two servers claim to be the primary.
    await this.terminateAll();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const [{ connected }] = await this.#queryAt(
      lost.port,
      `SELECT count(*)::int AS connected FROM pg_stat_activity WHERE application_name LIKE 'heliograph%' AND backend_type = 'client backend'`,
    );
    await server.end('SIGQUIT');
    return connected;
  }

  async switchOver() {
    const before = await this.#findPrimary();
    const target = this.#nodes.find((node) => node !== before);
    await retryUntilSuccess(async () => {
      const response = await fetch(`http://127.0.0.1:${before.api}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: before.name, candidate: target.name }),
      });
      if (!response.ok) throw new Error(await response.text());
    });
    await this.#waitForOtherPrimary(before);
    await this.waitUntilSettled();
  }

  async #waitForOtherPrimary(before) {
    await retryUntilSuccess(async () => {
      if ((await this.#findPrimary()) === before) throw new Error('no other node is the primary yet');
    });
  }

  async terminateAll() {
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
  }

  #killPostgres(node) {
    signalAll(this.#listPostgresProcesses(node), 'SIGKILL');
  }

  /** Lists the processes of the node's server, starting with the postmaster, or no processes if the server was killed. */
  #listPostgresProcesses({ data }) {
    const pid = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0];
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' });
    return stdout.includes(data) ? listWithChildren(pid) : [];
  }

  async close() {
    await this.pool?.end();
    await Promise.all(this.#nodes.map(({ program }) => program.end()));
    this.#killAll();
    this.#unregister();
    await this.#etcd?.end();
  }

  #killAll() {
    for (const node of this.#nodes) {
      if (existsSync(join(node.data, 'postmaster.pid'))) this.#killPostgres(node);
    }
  }
}

/** Returns the user that Debian's package created, because PostgreSQL refuses to run as root. */
function findServerUser() {
  if (process.getuid?.() !== 0) return null;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
