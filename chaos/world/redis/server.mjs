import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { Program, retryUntilSuccess } from '../programs.mjs';
import { findRedisProgram } from './single.mjs';

/** A server or Sentinel of a group of Redis servers. */
export class Server {
  port = 0;
  folder;
  isPaused = false;
  #access;
  #program;
  /** Descriptions of commands that the server denied to a user. */
  #denials = [];

  constructor(folder, access) {
    this.folder = folder;
    this.#access = access;
  }

  /**
   * Starts the server with the configuration that `toLines` returns.
   * @param {(port: number) => string[]} toLines
   * @param {string[]} [args]
   */
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

  /** Kills the server after recording the denied commands, because the server's log is lost. */
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
