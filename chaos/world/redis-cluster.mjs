import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { Program, untilAnswered } from './programs.mjs';
import { askRedis, redisProgram } from './redis.mjs';

const NODES = 6;
const SILENT_MS = 1_500;
/** What the keys of the queue have in common, by which they lie on one shard. */
const TAG = '{heliograph}';

/** A cluster of three shards, each a primary and its replica. */
export class ClusteredRedis {
  url = '';
  #folder;
  #nodes = [];

  constructor(folder) {
    this.#folder = join(folder, 'redis');
  }

  async open() {
    mkdirSync(this.#folder, { recursive: true });
    for (let number = 0; number < NODES; number += 1) this.#nodes.push(await this.#node(number));
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`);
    const create = ['--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes'];
    execFileSync('redis-cli', create, { stdio: ['ignore', 'ignore', 'inherit'] });
    await this.settled();
    this.url = `redis+cluster://${hosts.slice(0, 3).join(',')}`;
  }

  async #node(number) {
    const port = await freePort();
    const folder = join(this.#folder, `node-${number}`);
    mkdirSync(folder);
    const settings = {
      ...{ port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', save: '', 'maxmemory-policy': 'noeviction' },
      ...{ 'cluster-enabled': 'yes', 'cluster-node-timeout': SILENT_MS, 'cluster-port': await freePort() },
      ...{ 'repl-diskless-sync-delay': 0 },
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const program = new Program(redisProgram(), args, join(folder, 'output.log'));
    program.start();
    await untilAnswered(() => askRedis(port, 'PING'));
    return { port, folder, program };
  }

  /** Waits until all slots are served and every replica has caught up. */
  async settled() {
    await untilAnswered(async () => {
      for (const { port } of this.#nodes) {
        const [cluster, replication] = await Promise.all([
          askRedis(port, 'CLUSTER', 'INFO'),
          askRedis(port, 'INFO', 'replication'),
        ]);
        const isReplica = /^role:slave/m.test(replication);
        if (!/^cluster_state:ok/m.test(cluster)) throw new Error('not every slot is served');
        if (isReplica && !/^master_link_status:up/m.test(replication)) throw new Error('a replica has not caught up');
        if (!isReplica && !/^connected_slaves:1/m.test(replication)) throw new Error('a primary has no replica');
      }
    });
  }

  /** The primary of the shard on which the queue lies, and its replicas, as those that live know it. */
  async #shard() {
    const { port } = this.#nodes.find(({ program }) => program.isRunning);
    const slot = Number(await askRedis(port, 'CLUSTER', 'KEYSLOT', TAG));
    const slots = await askRedis(port, 'CLUSTER', 'SLOTS');
    const [, , ...places] = slots.find(([from, to]) => from <= slot && slot <= to);
    return places.map(([, at]) => this.#nodes.find((each) => each.port === Number(at)));
  }

  /** Kills the primary of the shard, and waits until its replica is one. */
  async failOver() {
    const [lost] = await this.#shard();
    await lost.program.end();
    await untilAnswered(async () => {
      if ((await this.#shard())[0] === lost) throw new Error('no other primary yet');
    });
    return lost;
  }

  async bringBack({ program }) {
    program.start();
    await this.settled();
  }

  /** Hands the shard over in order. */
  async switchOver() {
    const [before, replica] = await this.#shard();
    await askRedis(replica.port, 'CLUSTER', 'FAILOVER');
    await untilAnswered(async () => {
      if ((await this.#shard())[0] === before) throw new Error('no other primary yet');
    });
    await this.settled();
  }

  /** The primary and the replica of the shard are gone, and come back with nothing. */
  async loseShard(whileAway) {
    const shard = await this.#shard();
    await Promise.all(shard.map(({ program }) => program.end()));
    for (const { folder } of shard) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    await whileAway();
    for (const { program } of shard) program.start();
    await this.settled();
  }

  /** Signals the primary. @returns signals the same again */
  async signal(name) {
    const { program } = (await this.#shard())[0];
    program.signal(name);
    return (another) => program.signal(another);
  }

  /** Asks every primary. */
  async ask(...command) {
    await untilAnswered(async () => {
      for (const { port, program } of this.#nodes) {
        if (!program.isRunning) continue;
        const isPrimary = /^role:master/m.test(await askRedis(port, 'INFO', 'replication'));
        if (isPrimary) await askRedis(port, ...command);
      }
    });
  }

  async close() {
    await Promise.all(this.#nodes.map(({ program }) => program.end()));
  }
}
