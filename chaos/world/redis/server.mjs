import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dist/platform/machine/free-port.js';
import { Program, untilAnswered } from '../programs.mjs';
import { redisProgram } from './single.mjs';

/** A Redis server or Sentinel of several. */
export class Server {
  port = 0;
  folder;
  stands = false;
  #access;
  #program;
  /** Commands that it denied to a user. */
  #refused = [];

  constructor(folder, access) {
    this.folder = folder;
    this.#access = access;
  }

  /** @param {(port: number) => string[]} linesOf returns its configuration  @param {string[]} [args] */
  async open(linesOf, args = []) {
    mkdirSync(this.folder);
    this.port = await freePort();
    const path = join(this.folder, 'redis.conf');
    writeFileSync(path, `${linesOf(this.port).join('\n')}\ndir ${this.folder}\n`);
    this.#program = new Program(redisProgram(), [path, ...args], join(this.folder, 'output.log'));
    this.start();
    await untilAnswered(() => this.ask('PING'));
  }

  get isRunning() {
    return this.#program.isRunning;
  }

  start() {
    this.#program.start();
  }

  async ask(...command) {
    return await this.#access.ask(this.port, ...command);
  }

  stand() {
    this.stands = true;
    this.#program.signal('SIGSTOP');
  }

  goOn() {
    this.#program.signal('SIGCONT');
    this.stands = false;
  }

  /** Records first what the server has denied so far. */
  async kill() {
    if (this.isRunning && !this.stands) await this.#note();
    await this.#program.end();
  }

  async #note() {
    const entries = await this.ask('ACL', 'LOG').catch(() => []);
    for (const entry of entries) {
      const field = (name) => entry[entry.indexOf(name) + 1];
      this.#refused.push(
        `refused: ${field('object')} to ${field('username')} (${field('reason')}, ${field('context')})`,
      );
    }
  }

  /** Commands denied since the first start. */
  async refused() {
    await this.#note();
    return this.#refused;
  }

  async close() {
    await this.#program?.end();
  }
}
