import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { killAtExit } from './at-exit.mjs';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const SHIFTED_CLOCK = new URL('shifted-clock.mjs', import.meta.url).href;

/** Runs several processes, as if on several machines. By default two processes serve requests and two send messages. */
export class Fleet {
  /** Descriptions of processes that exited without being asked to. */
  unexpectedExits = [];
  #settings;
  #folder;
  #roles;
  #members = [];

  /** @param {{settings: Record<string, string>, folder: string, roles?: ('api' | 'worker' | 'all')[]}} options */
  constructor({ settings, folder, roles = ['api', 'api', 'worker', 'worker'] }) {
    this.#settings = settings;
    this.#folder = folder;
    this.#roles = roles;
  }

  async open() {
    for (const [index, role] of this.#roles.entries()) {
      this.#members.push({
        name: `${role}-${index}`,
        role,
        port: await freePort(),
        metricsPort: await freePort(),
        child: null,
        isStopping: false,
        clockMs: 0,
      });
    }
    // The first process must migrate the store before the other processes start.
    for (const member of this.#members) await this.start(member);
  }

  /** @param {'api' | 'worker' | 'all'} [role] */
  members(role) {
    return this.#members.filter((member) => role === undefined || member.role === role);
  }

  urls() {
    return this.#members.filter(({ role }) => role !== 'worker').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  metricsUrls() {
    const servingMembers = this.#members.filter(({ role }) => role !== 'worker');
    return servingMembers.map(({ metricsPort }) => `http://127.0.0.1:${metricsPort}/metrics`);
  }

  /** Restarts a process that exits before it is ready, as a supervisor would, because its store may be down. */
  async start(member) {
    const until = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#start(member)) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 500));
  }

  /**
   * Returns whether the process became ready.
   * @returns {Promise<boolean>}
   */
  async #start(member) {
    const output = openSync(join(this.#folder, `${member.name}.log`), 'a');
    const nodeOptions = member.clockMs === 0 ? [] : ['--import', SHIFTED_CLOCK];
    const child = spawn(process.execPath, [...nodeOptions, 'dist/main.js'], {
      cwd: PROJECT_FOLDER,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...this.#settings,
        ROLE: member.role,
        PORT: String(member.port),
        METRICS_PORT: String(member.metricsPort),
        CHAOS_CLOCK_MS: String(member.clockMs),
      },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    killAtExit(child);
    member.child = child;
    member.isStopping = false;
    if (!(await this.#waitUntilReady(member))) return false;
    child.on('exit', (code, signal) => {
      if (!member.isStopping)
        this.unexpectedExits.push(`${member.name} exited unexpectedly (${signal ?? `exit code ${code}`})`);
    });
    return true;
  }

  async #waitUntilReady({ port, child }) {
    const until = Date.now() + START_TIMEOUT_MS;
    while (child.exitCode === null && child.signalCode === null && Date.now() < until) {
      const status = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  }

  /**
   * Returns the exit code of the stopped process.
   * @returns {Promise<number | null>}
   */
  async stop(member, signal = 'SIGTERM') {
    const { child } = member;
    member.isStopping = true;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exit = once(child, 'exit');
    child.kill(signal);
    if (signal === 'SIGKILL') child.kill('SIGCONT');
    return (await exit)[0];
  }

  async restart(member, signal) {
    const code = await this.stop(member, signal);
    await this.start(member);
    return code;
  }

  async setClock(member, clockMs) {
    member.clockMs = clockMs;
    return await this.restart(member, 'SIGTERM');
  }

  async close() {
    await Promise.all(this.#members.map((member) => this.stop(member)));
  }
}
