import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { Program, retryUntilSuccess } from '../programs.mjs';
import { findRedisProgram } from './single.mjs';

/** One of several Redis servers or Sentinels. */
export class Server {
  port = 0;
  folder;
  isPaused = false;
  #access;
  #program;
  /** Descriptions of commands that it denied to a user. */
  #denials = [];

  constructor(folder, access) {
    this.folder = folder;
    this.#access = access;
  }

  /** @param {(port: number) => string[]} toLines returns its configuration  @param {string[]} [args] */
  async open(toLines, args = []) {
    mkdirSync(this.folder);
    this.port = await freePort();
    const path = join(this.folder, 'redis.conf');
    writeFileSync(path, `${toLines(this.port).join('\n')}\ndir ${this.folder}\n`);
    this.#program = new Program(findRedisProgram(), [path, ...args], join(this.folder, 'output.log'));
    this.start();
    await retryUntilSuccess(() => this.call('PING'));
  }

  get isRunning() {
    return this.#program.isRunning;
  }

  start() {
    this.#program.start();
  }

  async call(...command) {
    return await this.#access.call(this.port, ...command);
  }

  pause() {
    this.isPaused = true;
    this.#program.signal('SIGSTOP');
  }

  resume() {
    this.#program.signal('SIGCONT');
    this.isPaused = false;
  }

  /** Records the denied commands before the server loses its log. */
  async kill() {
    if (this.isRunning && !this.isPaused) await this.#recordDenials();
    await this.#program.end();
  }

  async #recordDenials() {
    const entries = await this.call('ACL', 'LOG').catch(() => []);
    for (const entry of entries) {
      const field = (name) => entry[entry.indexOf(name) + 1];
      this.#denials.push(
        `refused: ${field('object')} to ${field('username')} (${field('reason')}, ${field('context')})`,
      );
    }
  }

  async listDeniedCommands() {
    await this.#recordDenials();
    return this.#denials;
  }

  async close() {
    await this.#program?.end();
  }
}
