import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { openPool } from '../../../dist/platform/store/connections/pool.js';
import { atExit } from '../at-exit.mjs';
import { hasProgram, Program, signalAll, untilAnswered, withChildren } from '../programs.mjs';

/** Of Debian's packages, the latest first. */
const FOLDERS = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`);
const PASSWORD = 'of the run';
/** How long a primary may say nothing before another takes its place, in seconds; Patroni's own is 30. */
const TTL = 10;

/**
 * Patroni 3 with version 3 of etcd's API may let a primary that stood still take the leader's key back though another has it
 * (patroni/patroni#2689, #2783), and then commits are lost. It is given version 2, which etcd has up to 3.5.
 */
const keepsKeyBack = () => {
  const major = Number(/\d+/.exec(spawnSync('patroni', ['--version'], { encoding: 'utf8' }).stdout)?.[0]);
  return major < 4;
};

const binaries = () => FOLDERS.find((folder) => existsSync(join(folder, 'pg_basebackup'))) ?? null;

/** What this machine lacks, in a sentence; null where it has all. */
export function missingForPatroni() {
  if (!binaries()) return 'there is no PostgreSQL with pg_basebackup on this machine (apt-get install postgresql).';
  const lacking = ['etcd', 'patroni'].filter((name) => !hasProgram(name));
  if (lacking.length === 0) return null;
  return `there is no ${lacking.join(' and no ')} on this machine (apt-get install etcd-server patroni python3-etcd).`;
}

/** PostgreSQL and its standby under Patroni, which keeps its word in etcd; commits wait for the standby. */
export class PatroniStore {
  url = '';
  pool;
  #folder;
  #nodes = [];
  #etcd;
  #user = serverUser();
  #gone = () => undefined;

  constructor(folder) {
    this.#folder = join(folder, 'patroni');
  }

  async open() {
    // Patroni, killed, leaves its PostgreSQL.
    this.#gone = atExit(() => this.#killAll());
    mkdirSync(this.#folder, { mode: 0o755 });
    chmodSync(join(this.#folder, '..'), 0o755);
    const etcd = await this.#startEtcd();
    for (const number of [0, 1]) this.#nodes.push(await this.#node(number, etcd));
    // The first makes the cluster, and the second copies it.
    for (const node of this.#nodes) {
      node.program.start();
      await untilAnswered(() => this.#primary());
    }
    await this.settled();
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    this.url = `postgresql://postgres:${encodeURIComponent(PASSWORD)}@${hosts}/heliograph?target_session_attrs=read-write`;
    await this.#askAt((await this.#primary()).port, 'CREATE DATABASE heliograph', 'postgres');
    this.pool = openPool({ url: this.url, size: 2, log: pino({ level: 'silent' }) });
  }

  async #startEtcd() {
    const [client, peer] = [await freePort(), await freePort()];
    const folder = join(this.#folder, 'etcd');
    mkdirSync(folder, { mode: 0o700 });
    const at = (port) => `http://127.0.0.1:${port}`;
    const settings = {
      ...{ name: 'one', 'data-dir': folder, 'initial-cluster': `one=${at(peer)}` },
      ...{ 'listen-client-urls': at(client), 'advertise-client-urls': at(client) },
      ...{ 'listen-peer-urls': at(peer), 'initial-advertise-peer-urls': at(peer) },
    };
    const version2 = keepsKeyBack();
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    if (version2) args.push('--enable-v2=true');
    this.#etcd = new Program('etcd', args, join(this.#folder, 'etcd.log'));
    this.#etcd.start();
    await untilAnswered(async () => {
      if (!(await fetch(`${at(client)}/health`)).ok) throw new Error('etcd is not ready');
    });
    return { [version2 ? 'etcd' : 'etcd3']: { hosts: [`127.0.0.1:${client}`] } };
  }

  async #node(number, etcd) {
    const [port, api] = [await freePort(), await freePort()];
    const folder = join(this.#folder, `node-${number}`);
    mkdirSync(folder, { mode: 0o700 });
    if (this.#user) chownSync(folder, this.#user.uid, this.#user.gid);
    const data = join(folder, 'data');
    const settings = join(folder, 'patroni.json');
    // YAML, which Patroni reads, takes JSON as it is.
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
          // An answer to COMMIT means that the standby has it too.
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters },
        },
        initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
        pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      },
      postgresql: {
        ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, bin_dir: binaries() },
        authentication: {
          superuser: { username: 'postgres', password: PASSWORD },
          replication: { username: 'replicator', password: PASSWORD },
        },
        pgpass: join(folder, 'pgpass'),
        parameters: { unix_socket_directories: folder },
      },
    };
  }

  /** The node that Patroni says is the primary. @throws where none is */
  async #primary() {
    for (const node of this.#nodes) {
      const status = await fetch(`http://127.0.0.1:${node.api}/primary`, { signal: AbortSignal.timeout(2_000) }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return node;
    }
    throw new Error('no node is the primary');
  }

  /** Waits until both run, commits wait for the standby, and it may take over. */
  async settled() {
    await untilAnswered(
      async () => {
        const primary = await this.#primary();
        const standby = this.#nodes.find((each) => each !== primary);
        // As Patroni has it written down: it lets no other take over, whatever PostgreSQL says.
        const { status } = await fetch(`http://127.0.0.1:${standby.api}/synchronous`);
        if (status !== 200) throw new Error('the standby is not synchronous yet');
      },
      { withinMs: 120_000, everyMs: 250 },
    );
  }

  async #askAt(port, text, database = 'heliograph') {
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

  /** Asks until there is an answer: the primary may just be another. */
  async ask(text, values = []) {
    return await untilAnswered(async () => {
      try {
        return (await this.pool.query(text, values)).rows;
      } catch (error) {
        // What PostgreSQL refuses by a code of its own is wrong, and would be so again.
        if (error.code && !/^(08|25|53|57|E)/.test(error.code))
          return Promise.reject(Object.assign(error, { isFinal: true }));
        throw error;
      }
    });
  }

  /** The machine of the primary is gone: Patroni and PostgreSQL die at once. @returns the node, when another is the primary */
  async loseMachine() {
    const lost = await this.#primary();
    await lost.program.end();
    this.#killPostgres(lost);
    await this.#anotherThan(lost);
    return lost;
  }

  /** The machine is back: Patroni makes it a standby. */
  async bringBack({ program }) {
    program.start();
    await this.settled();
  }

  /** The machine of the primary stands still for so long, and then goes on where it was. */
  async standStill(milliseconds) {
    const stands = await this.#primary();
    const pids = [stands.program.pid, ...this.#postgresOf(stands)];
    signalAll(pids, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    signalAll(pids, 'SIGCONT');
    await this.settled();
  }

  /** The primary of before is started again by somebody who does not know Patroni, and takes writes, for so long. */
  async returnWithoutPatroni(lost, milliseconds) {
    const server = new Program(
      join(binaries(), 'postgres'),
      ['-D', lost.data],
      join(this.#folder, `${lost.name}.log`),
      {
        ...this.#user,
        cwd: lost.folder,
      },
    );
    server.start();
    await untilAnswered(() => this.#askAt(lost.port, 'SELECT 1', 'postgres'));
    const [{ standby }] = await this.#askAt(lost.port, 'SELECT pg_is_in_recovery() AS standby', 'postgres');
    if (standby) throw new Error('the primary of before came back as a standby by itself');
    // Whoever looks for the primary now finds two.
    await this.terminateAll();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const [{ connected }] = await this.#askAt(
      lost.port,
      `SELECT count(*)::int AS connected FROM pg_stat_activity WHERE application_name LIKE 'heliograph%' AND backend_type = 'client backend'`,
    );
    await server.end('SIGQUIT');
    return connected;
  }

  /** Hands over in order, as an operator does. */
  async switchOver() {
    const before = await this.#primary();
    const other = this.#nodes.find((each) => each !== before);
    await untilAnswered(async () => {
      const answer = await fetch(`http://127.0.0.1:${before.api}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: before.name, candidate: other.name }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    });
    await this.#anotherThan(before);
    await this.settled();
  }

  async #anotherThan(before) {
    await untilAnswered(async () => {
      if ((await this.#primary()) === before) throw new Error('no other node is the primary yet');
    });
  }

  /** Ends every connection of the processes. */
  async terminateAll() {
    await this.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
  }

  #killPostgres(node) {
    signalAll(this.#postgresOf(node), 'SIGKILL');
  }

  /** The processes of its server, the postmaster first; none where the file of a server that was killed names another. */
  #postgresOf({ data }) {
    const pid = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0];
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' });
    return stdout.includes(data) ? withChildren(pid) : [];
  }

  async close() {
    await this.pool?.end();
    await Promise.all(this.#nodes.map(({ program }) => program.end()));
    this.#killAll();
    this.#gone();
    await this.#etcd?.end();
  }

  #killAll() {
    for (const node of this.#nodes) {
      if (existsSync(join(node.data, 'postmaster.pid'))) this.#killPostgres(node);
    }
  }
}

/** PostgreSQL does not run as root: the user that Debian's package has made for it. */
function serverUser() {
  if (process.getuid?.() !== 0) return null;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
