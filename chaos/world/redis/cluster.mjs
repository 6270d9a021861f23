import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { untilAnswered } from '../programs.mjs';
import { Access } from './access.mjs';
import { Server } from './server.mjs';

const NODES = 6;
const SILENT_MS = 1_500;
/** Puts all keys of the queue on one shard. */
const TAG = '{heliograph}';

/** Three shards, each with a primary and a replica. */
export class ClusteredRedis {
  settings = {};
  #access;
  #nodes = [];

  constructor(folder, options) {
    this.#access = new Access(folder, options);
  }

  async open() {
    for (let number = 0; number < NODES; number += 1) await this.#node(number);
    const ports = this.#nodes.map(({ port }) => port);
    const hosts = ports.map((port) => `127.0.0.1:${port}`);
    this.#access.command('--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes');
    await this.settled();
    this.settings = this.#access.settings(this.#access.url('cluster', ports.slice(0, 3)));
  }

  async #node(number) {
    const bus = await freePort();
    const node = new Server(join(this.#access.folder, `node-${number}`), this.#access);
    this.#nodes.push(node);
    await node.open((port) => [
      ...this.#access.nodeLines(port),
      ...['appendonly yes', 'save ""', 'maxmemory-policy noeviction', 'repl-diskless-sync-delay 0'],
      ...['cluster-enabled yes', `cluster-node-timeout ${SILENT_MS}`, `cluster-port ${bus}`],
    ]);
  }

  /** Waits until all slots are served and every replica has caught up. */
  async settled() {
    await untilAnswered(async () => {
      for (const node of this.#nodes) {
        const [cluster, replication] = await Promise.all([
          node.ask('CLUSTER', 'INFO'),
          node.ask('INFO', 'replication'),
        ]);
        const isReplica = /^role:slave/m.test(replication);
        if (!/^cluster_state:ok/m.test(cluster)) throw new Error('not every slot is served');
        if (isReplica && !/^master_link_status:up/m.test(replication)) throw new Error('a replica has not caught up');
        if (!isReplica && !/^connected_slaves:1/m.test(replication)) throw new Error('a primary has no replica');
      }
    });
  }

  /** The primary of the queue's shard and its replicas, as the servers report them. */
  async #shard() {
    const node = this.#nodes.find(({ isRunning, stands }) => isRunning && !stands);
    const slot = Number(await node.ask('CLUSTER', 'KEYSLOT', TAG));
    const slots = await node.ask('CLUSTER', 'SLOTS');
    const [, , ...places] = slots.find(([from, to]) => from <= slot && slot <= to);
    return places.map(([, at]) => this.#nodes.find((each) => each.port === Number(at)));
  }

  /** Kills the primary of the shard, and waits until a replica takes over. */
  async failOver() {
    const [lost] = await this.#shard();
    await lost.kill();
    await untilAnswered(async () => {
      if ((await this.#shard())[0] === lost) throw new Error('no other primary yet');
    });
    return lost;
  }

  async bringBack(node) {
    node.start();
    await this.settled();
  }

  async switchOver() {
    const [before, replica] = await untilAnswered(async () => {
      const shard = await this.#shard();
      // A restarted server is listed once the others have detected it.
      if (shard.length < 2) throw new Error('no replica is known yet');
      return shard;
    });
    await replica.ask('CLUSTER', 'FAILOVER');
    await untilAnswered(async () => {
      if ((await this.#shard())[0] === before) throw new Error('no other primary yet');
    });
    await this.settled();
  }

  /** The primary and the replica of the shard are killed and return without data. */
  async loseShard(whileAway) {
    const shard = await this.#shard();
    await Promise.all(shard.map((node) => node.kill()));
    for (const { folder } of shard) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    await whileAway();
    for (const node of shard) node.start();
    await this.settled();
  }

  /** Pauses the primary of the shard. @returns resumes it */
  async primaryStands() {
    const [primary] = await this.#shard();
    primary.stand();
    return () => primary.goOn();
  }

  async ask(...command) {
    await untilAnswered(async () => {
      for (const node of this.#nodes) {
        if (!node.isRunning) continue;
        const isPrimary = /^role:master/m.test(await node.ask('INFO', 'replication'));
        if (isPrimary) await node.ask(...command);
      }
    });
  }

  /** Commands that a server denied to a user, as findings. */
  async refused() {
    return (await Promise.all(this.#nodes.map((node) => node.refused()))).flat();
  }

  async close() {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }
}
