import { join } from 'node:path';
import { retryUntilSuccess } from '../programs.mjs';
import { Access } from './access.mjs';
import { Server } from './server.mjs';

const PRIMARY_NAME = 'heliograph';
const QUORUM = 2;
const DOWN_AFTER_MS = 1_000;

/** A primary, a replica, and three Sentinels. */
export class SentinelRedis {
  settings = {};
  #access;
  #servers = [];
  #sentinels = [];

  constructor(folder, options) {
    this.#access = new Access(folder, options);
  }

  async open() {
    for (const number of [0, 1]) await this.#startServer(number);
    for (const number of [0, 1, 2]) await this.#startSentinel(number);
    const ports = this.#sentinels.map(({ port }) => port);
    this.settings = this.#access.settings(this.#access.url('sentinel', ports, PRIMARY_NAME));
    await retryUntilSuccess(async () => {
      for (const sentinel of this.#sentinels) {
        if ((await sentinel.call('SENTINEL', 'REPLICAS', PRIMARY_NAME)).length !== 1)
          throw new Error('the replica is not known yet');
        if ((await sentinel.call('SENTINEL', 'SENTINELS', PRIMARY_NAME)).length !== 2)
          throw new Error('the Sentinels do not know each other yet');
      }
    });
  }

  async #startServer(number) {
    const [primary] = this.#servers;
    const server = new Server(join(this.#access.folder, `server-${number}`), this.#access);
    this.#servers.push(server);
    await server.open((port) => [
      ...this.#access.serverLines(port),
      ...['appendonly yes', 'save ""', 'maxmemory-policy noeviction'],
      ...['replica-serve-stale-data no', 'repl-diskless-sync-delay 0'],
      ...(primary ? [`replicaof 127.0.0.1 ${primary.port}`] : []),
    ]);
  }

  async #startSentinel(number) {
    const sentinel = new Server(join(this.#access.folder, `sentinel-${number}`), this.#access);
    this.#sentinels.push(sentinel);
    const monitorLines = [
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${this.#servers[0].port} ${QUORUM}`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY_NAME} 5000`,
    ];
    await sentinel.open((port) => [...monitorLines, ...this.#access.sentinelLines(port, PRIMARY_NAME)], ['--sentinel']);
  }

  async #callSentinel(...command) {
    return await this.#sentinels.find(({ isPaused }) => !isPaused).call(...command);
  }

  async #findPrimary() {
    const [, port] = await this.#callSentinel('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME);
    return this.#servers.find((server) => server.port === Number(port));
  }

  async failOver() {
    const lost = await this.#findPrimary();
    await lost.kill();
    await retryUntilSuccess(async () => {
      if ((await this.#findPrimary()) === lost) throw new Error('no new primary yet');
    });
    return lost;
  }

  /** Pauses the Sentinel that clients try first, and returns a function that resumes it. */
  pauseSentinel() {
    const [first] = this.#sentinels;
    first.pause();
    return () => first.resume();
  }

  /** Restarts a server, which the Sentinels make a replica. */
  async bringBack(server) {
    server.start();
    await this.waitUntilSettled();
  }

  /** Waits until one server is the primary and the other server has caught up. */
  async waitUntilSettled() {
    await retryUntilSuccess(async () => {
      const primary = await this.#findPrimary();
      const replication = await this.#servers.find((server) => server !== primary).call('INFO', 'replication');
      if (!/^role:slave/m.test(replication)) throw new Error('the old primary is not a replica yet');
      if (!/^master_link_status:up/m.test(replication)) throw new Error('the replica has not caught up yet');
    });
  }

  async switchOver() {
    const before = await this.#findPrimary();
    await retryUntilSuccess(() => this.#callSentinel('SENTINEL', 'FAILOVER', PRIMARY_NAME));
    await retryUntilSuccess(async () => {
      if ((await this.#findPrimary()) === before) throw new Error('no new primary yet');
    });
    await this.waitUntilSettled();
  }

  /** Pauses the primary, and returns a function that resumes it. */
  async pausePrimary() {
    const primary = await this.#findPrimary();
    primary.pause();
    return () => primary.resume();
  }

  async call(...command) {
    return await retryUntilSuccess(async () => (await this.#findPrimary()).call(...command));
  }

  async listDeniedCommands() {
    return (
      await Promise.all([...this.#sentinels, ...this.#servers].map((server) => server.listDeniedCommands()))
    ).flat();
  }

  async close() {
    await Promise.all([...this.#sentinels, ...this.#servers].map((server) => server.close()));
  }
}
