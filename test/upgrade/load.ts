import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../support/processes/server-process.js';
import { waitFor } from '../support/wait-for.js';

/** Milliseconds between requests, long enough to leave processor time to the starting servers. */
const PACE_MS = 50;

export class Load {
  servers: ServerProcess[] = [];
  readonly #counts = new Map<ServerProcess, number>();
  readonly #send: (server: ServerProcess) => Promise<void>;
  #stopped = false;
  #work: Promise<void> = Promise.resolve();

  constructor(send: (server: ServerProcess) => Promise<void>) {
    this.#send = send;
  }

  start(): void {
    this.#work = this.#run();
    // Awaited by `end`.
    this.#work.catch(() => undefined);
  }

  /** Waits until the server has accepted `count` more requests. */
  async waitForMore(server: ServerProcess, count: number): Promise<void> {
    const goal = (this.#counts.get(server) ?? 0) + count;
    await waitFor('requests to be accepted', async () => {
      if (this.#stopped) await this.#work;
      return (this.#counts.get(server) ?? 0) >= goal;
    });
  }

  async handOver(server: ServerProcess, remainingServers: ServerProcess[]): Promise<void> {
    this.servers = remainingServers;
    for (const remainingServer of remainingServers) await this.waitForMore(remainingServer, 2);
    await server.stop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#stopped) {
        for (const server of this.servers) {
          await this.#send(server);
          this.#counts.set(server, (this.#counts.get(server) ?? 0) + 1);
        }
        await pause(PACE_MS);
      }
    } finally {
      this.#stopped = true;
    }
  }
}
