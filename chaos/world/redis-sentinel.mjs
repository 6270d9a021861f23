import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { Program, untilAnswered } from './programs.mjs';
import { askRedis, redisProgram } from './redis.mjs';

const NAME = 'heliograph';
const USER = 'worker';
const PASSWORD = 'of the run @ loopback';
/** Of what the Sentinels must agree on, and how long a primary says nothing before they do. */
const QUORUM = 2;
const SILENT_MS = 1_000;

/**
 * A primary, its replica, and three Sentinels that make the replica the primary when the primary is gone. Processes come as a
 * user of an access control list, who may use the keys of the queue alone.
 */
export class WatchedRedis {
  url = '';
  #folder;
  #servers = [];
  #sentinels = [];

  constructor(folder) {
    this.#folder = join(folder, 'redis');
  }

  async open() {
    mkdirSync(this.#folder, { recursive: true });
    for (const number of [0, 1]) this.#servers.push(await this.#server(number));
    const [primary] = this.#servers;
    for (const number of [0, 1, 2]) this.#sentinels.push(await this.#sentinel(number, primary.port));
    const hosts = this.#sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    this.url = `redis+sentinel://${USER}:${encodeURIComponent(PASSWORD)}@${hosts}/${NAME}`;
    await untilAnswered(async () => {
      const found = await this.#askSentinel('SENTINEL', 'REPLICAS', NAME);
      if (found.length !== 1) throw new Error('the Sentinels do not know the replica yet');
    });
  }

  async #server(number) {
    const port = await freePort();
    const folder = join(this.#folder, `server-${number}`);
    mkdirSync(folder);
    const settings = {
      ...{ port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', save: '""', 'maxmemory-policy': 'noeviction' },
      ...{ 'replica-serve-stale-data': 'no', 'repl-diskless-sync-delay': 0 },
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    const [primary] = this.#servers;
    if (primary) lines.push(`replicaof 127.0.0.1 ${primary.port}`);
    const rule = `user ${USER} on ${sum(PASSWORD)} ~heliograph:* &* +@all -@admin`;
    const path = join(folder, 'redis.conf');
    writeFileSync(path, `${lines.join('\n')}\n${rule}\n`);
    const program = new Program(redisProgram(), [path], join(folder, 'output.log'));
    program.start();
    await untilAnswered(() => askRedis(port, 'PING'));
    return { port, program };
  }

  async #sentinel(number, primaryPort) {
    const port = await freePort();
    const path = join(this.#folder, `sentinel-${number}.conf`);
    writeFileSync(
      path,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${this.#folder}`,
        `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} ${QUORUM}`,
        `sentinel down-after-milliseconds ${NAME} ${SILENT_MS}`,
        `sentinel failover-timeout ${NAME} 5000`,
        '',
      ].join('\n'),
    );
    const program = new Program(redisProgram(), [path, '--sentinel'], join(this.#folder, `sentinel-${number}.log`));
    program.start();
    await untilAnswered(() => askRedis(port, 'PING'));
    return { port, program };
  }

  async #askSentinel(...command) {
    return await askRedis(this.#sentinels[0].port, ...command);
  }

  async #primary() {
    const [, port] = await this.#askSentinel('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME);
    return this.#servers.find((each) => each.port === Number(port));
  }

  /** Kills the primary, and waits until another one is. */
  async failOver() {
    const lost = await this.#primary();
    await lost.program.end();
    await untilAnswered(async () => {
      if ((await this.#primary()) === lost) throw new Error('no other primary yet');
    });
    return lost;
  }

  /** Starts a server again; the Sentinels make it a replica of the primary. */
  async bringBack({ program }) {
    program.start();
    await this.settled();
  }

  /** Waits until one is the primary, and the other has caught up with it. */
  async settled() {
    await untilAnswered(async () => {
      const primary = await this.#primary();
      const other = this.#servers.find((each) => each !== primary);
      const said = await askRedis(other.port, 'INFO', 'replication');
      if (!/^role:slave/m.test(said)) throw new Error('it is no replica yet');
      if (!/^master_link_status:up/m.test(said)) throw new Error('it has not caught up');
    });
  }

  /** Hands the primary over in order, as an operator does. */
  async switchOver() {
    const before = await this.#primary();
    await untilAnswered(() => this.#askSentinel('SENTINEL', 'FAILOVER', NAME));
    await untilAnswered(async () => {
      if ((await this.#primary()) === before) throw new Error('no other primary yet');
    });
    await this.settled();
  }

  /** Signals the primary. @returns signals the same again */
  async signal(name) {
    const { program } = await this.#primary();
    program.signal(name);
    return (another) => program.signal(another);
  }

  /** Asks the primary. */
  async ask(...command) {
    return await untilAnswered(async () => askRedis((await this.#primary()).port, ...command));
  }

  async close() {
    await Promise.all([...this.#sentinels, ...this.#servers].map(({ program }) => program.end()));
  }
}

/** @param {string} password as a rule of an access control list takes one that may hold any sign */
function sum(password) {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
