import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { killAtExit } from '../at-exit.mjs';

export function findRedisProgram() {
  return ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error) ?? null;
}

/** A single Redis server with an append-only file, as docs/run/operations.md recommends. */
export class Redis {
  #folder;
  #child;

  constructor(folder) {
    this.#folder = join(folder, 'redis');
  }

  async open() {
    mkdirSync(this.#folder, { recursive: true });
    this.port = await freePort();
    this.url = `redis://127.0.0.1:${this.port}`;
    await this.start();
  }

  async start() {
    const args = [
      '--port',
      this.port,
      '--bind',
      '127.0.0.1',
      '--dir',
      this.#folder,
      '--appendonly',
      'yes',
      '--save',
      '',
    ];
    this.#child = spawn(findRedisProgram(), [...args.map(String), '--maxmemory-policy', 'noeviction'], {
      stdio: 'ignore',
    });
    killAtExit(this.#child);
    await this.call('PING');
  }

  async call(...command) {
    const client = new Client(this.url, { lazyConnect: true, maxRetriesPerRequest: null });
    client.on('error', () => {});
    try {
      return await client.call(...command);
    } finally {
      client.disconnect();
    }
  }

  async kill() {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  /** Deletes the data of the server, which must be stopped. */
  wipe() {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder);
  }

  signal(name) {
    this.#child.kill(name);
  }

  async close() {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.kill();
  }
}
