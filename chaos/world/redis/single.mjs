import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { killedAtExit } from '../at-exit.mjs';

/** The program of a Redis or Valkey server on this machine, or null. */
export function redisProgram() {
  return ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error) ?? null;
}

/** A Redis of the run's own, with an append-only file, as operations.md asks for. */
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
    this.#child = spawn(redisProgram(), [...args.map(String), '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' });
    killedAtExit(this.#child);
    await this.ask('PING');
  }

  /** Asks until there is an answer. */
  async ask(...command) {
    const client = new Client(this.url, { lazyConnect: true, maxRetriesPerRequest: null });
    client.on('error', () => {});
    try {
      return await client.call(...command);
    } finally {
      client.disconnect();
    }
  }

  async kill() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Forgets everything that it kept; to be called while it is not running. */
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
