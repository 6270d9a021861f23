import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { retryUntilSuccess } from '../programs.mjs';
import { Access } from './access.mjs';
import { Server } from './server.mjs';

const NODES = 6;
const NODE_TIMEOUT_MS = 1_500;
/** The hash tag puts all keys of the queue on one shard. */
const HASH_TAG = '{heliograph}';

/** A Redis cluster of three shards, which have a primary and a replica each. */
export class RedisCluster {
  settings = {};
  #access;
  #nodes = [];

  constructor(folder, options) {
    this.#access = new Access(folder, options);
  }

  async open() {
    for (let number = 0; number < NODES; number += 1) await this.#startNode(number);
    const ports = this.#nodes.map(({ port }) => port);
    const hosts = ports.map((port) => `127.0.0.1:${port}`);
    this.#access.runCli('--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes');
    await this.waitUntilSettled();
    this.settings = this.#access.settings(this.#access.url('cluster', ports.slice(0, 3)));
  }

  async #startNode(number) {
    const bus = await freePort();
    const node = new Server(join(this.#access.folder, `node-${number}`), this.#access);
    this.#nodes.push(node);
    await node.open((port) => [
      ...this.#access.nodeLines(port),
      ...['appendonly yes', 'save ""', 'maxmemory-policy noeviction', 'repl-diskless-sync-delay 0'],
      ...['cluster-enabled yes', `cluster-node-timeout ${NODE_TIMEOUT_MS}`, `cluster-port ${bus}`],
    ]);
  }

  /** Waits until all hash slots are served and every replica has caught up. */
  async waitUntilSettled() {
    await retryUntilSuccess(async () => {
      for (const node of this.#nodes) {
        const [cluster, replication] = await Promise.all([
          node.call('CLUSTER', 'INFO'),
          node.call('INFO', 'replication'),
        ]);
        const isReplica = /^role:slave/m.test(replication);
        if (!/^cluster_state:ok/m.test(cluster)) throw new Error('not every slot is served');
        if (isReplica && !/^master_link_status:up/m.test(replication)) throw new Error('a replica has not caught up');
        if (!isReplica && !/^connected_slaves:1/m.test(replication)) throw new Error('a primary has no replica');
      }
    });
  }

  /** Returns the servers of the queue's shard, starting with the primary. */
  async #findShard() {
    const node = this.#nodes.find(({ isRunning, isPaused }) => isRunning && !isPaused);
    const slot = Number(await node.call('CLUSTER', 'KEYSLOT', HASH_TAG));
    const slots = await node.call('CLUSTER', 'SLOTS');
    const [, , ...members] = slots.find(([from, to]) => from <= slot && slot <= to);
    return members.map(([, port]) => this.#nodes.find((node) => node.port === Number(port)));
  }

  /** Kills the primary of the queue's shard, and waits until a replica takes over. */
  async failOver() {
    const [lost] = await this.#findShard();
    await lost.kill();
    await retryUntilSuccess(async () => {
      if ((await this.#findShard())[0] === lost) throw new Error('no new primary yet');
    });
    return lost;
  }

  async bringBack(node) {
    node.start();
    await this.waitUntilSettled();
  }

  async switchOver() {
    const [before, replica] = await retryUntilSuccess(async () => {
      const shard = await this.#findShard();
      // A restarted server is missing in the list until other servers have detected it.
      if (shard.length < 2) throw new Error('the replica is not known yet');
      return shard;
    });
    await replica.call('CLUSTER', 'FAILOVER');
    await retryUntilSuccess(async () => {
      if ((await this.#findShard())[0] === before) throw new Error('no new primary yet');
    });
    await this.waitUntilSettled();
  }

  /** Kills both servers of the queue's shard, and restarts them without data. */
  async loseShard(whileDown) {
    const shard = await this.#findShard();
    await Promise.all(shard.map((node) => node.kill()));
    for (const { folder } of shard) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    await whileDown();
    for (const node of shard) node.start();
    await this.waitUntilSettled();
  }

  /** Pauses the primary of the queue's shard, and returns a function that resumes it. */
  async pausePrimary() {
    const [primary] = await this.#findShard();
    primary.pause();
    return () => primary.resume();
  }

  /** Runs a command on every primary. */
  async call(...command) {
    await retryUntilSuccess(async () => {
      for (const node of this.#nodes) {
        if (!node.isRunning) continue;
        const isPrimary = /^role:master/m.test(await node.call('INFO', 'replication'));
        if (isPrimary) await node.call(...command);
      }
    });
  }

  /** Returns a finding for every command that a server denied to a user. */
  async listDeniedCommands() {
    return (await Promise.all(this.#nodes.map((node) => node.listDeniedCommands()))).flat();
  }

  async close() {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }
}
