import { join } from 'node:path';
import { untilAnswered } from '../programs.mjs';
import { Access } from './access.mjs';
import { Server } from './server.mjs';

const NAME = 'heliograph';
/** Number of Sentinels that must agree, and the silence after which they do. */
const QUORUM = 2;
const SILENT_MS = 1_000;

/** A primary, a replica, and three Sentinels. */
export class WatchedRedis {
  settings = {};
  #access;
  #servers = [];
  #sentinels = [];

  constructor(folder, options) {
    this.#access = new Access(folder, options);
  }

  async open() {
    for (const number of [0, 1]) await this.#server(number);
    for (const number of [0, 1, 2]) await this.#sentinel(number);
    const ports = this.#sentinels.map(({ port }) => port);
    this.settings = this.#access.settings(this.#access.url('sentinel', ports, NAME));
    await untilAnswered(async () => {
      for (const each of this.#sentinels) {
        if ((await each.ask('SENTINEL', 'REPLICAS', NAME)).length !== 1)
          throw new Error('the replica is not known yet');
        if ((await each.ask('SENTINEL', 'SENTINELS', NAME)).length !== 2)
          throw new Error('they do not know each other');
      }
    });
  }

  async #server(number) {
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

  async #sentinel(number) {
    const sentinel = new Server(join(this.#access.folder, `sentinel-${number}`), this.#access);
    this.#sentinels.push(sentinel);
    const watched = [
      `sentinel monitor ${NAME} 127.0.0.1 ${this.#servers[0].port} ${QUORUM}`,
      `sentinel down-after-milliseconds ${NAME} ${SILENT_MS}`,
      `sentinel failover-timeout ${NAME} 5000`,
    ];
    await sentinel.open((port) => [...watched, ...this.#access.sentinelLines(port, NAME)], ['--sentinel']);
  }

  async #askSentinel(...command) {
    return await this.#sentinels.find(({ stands }) => !stands).ask(...command);
  }

  async #primary() {
    const [, port] = await this.#askSentinel('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME);
    return this.#servers.find((each) => each.port === Number(port));
  }

  async failOver() {
    const lost = await this.#primary();
    await lost.kill();
    await untilAnswered(async () => {
      if ((await this.#primary()) === lost) throw new Error('no other primary yet');
    });
    return lost;
  }

  /** Pauses the Sentinel that clients try first. @returns resumes it */
  sentinelStands() {
    const [first] = this.#sentinels;
    first.stand();
    return () => first.goOn();
  }

  /** The Sentinels make the restarted server a replica. */
  async bringBack(server) {
    server.start();
    await this.settled();
  }

  /** Waits until one server is the primary and the other has caught up. */
  async settled() {
    await untilAnswered(async () => {
      const primary = await this.#primary();
      const replication = await this.#servers.find((each) => each !== primary).ask('INFO', 'replication');
      if (!/^role:slave/m.test(replication)) throw new Error('it is not a replica yet');
      if (!/^master_link_status:up/m.test(replication)) throw new Error('it has not caught up');
    });
  }

  async switchOver() {
    const before = await this.#primary();
    await untilAnswered(() => this.#askSentinel('SENTINEL', 'FAILOVER', NAME));
    await untilAnswered(async () => {
      if ((await this.#primary()) === before) throw new Error('no other primary yet');
    });
    await this.settled();
  }

  /** @returns resumes the primary */
  async primaryStands() {
    const primary = await this.#primary();
    primary.stand();
    return () => primary.goOn();
  }

  async ask(...command) {
    return await untilAnswered(async () => (await this.#primary()).ask(...command));
  }

  /** Commands that a server denied to a user, as findings. */
  async refused() {
    return (await Promise.all([...this.#sentinels, ...this.#servers].map((each) => each.refused()))).flat();
  }

  async close() {
    await Promise.all([...this.#sentinels, ...this.#servers].map((each) => each.close()));
  }
}
