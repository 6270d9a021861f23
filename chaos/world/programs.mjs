import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { killAtExit } from './at-exit.mjs';

export function hasProgram(name, options = {}) {
  return !spawnSync(name, ['--version'], options).error;
}

/** A program that can be started again after it has ended. */
export class Program {
  #name;
  #args;
  #output;
  #options;
  #child = null;

  /** @param {string} output file to which the program's output is appended */
  constructor(name, args, output, options = {}) {
    this.#name = name;
    this.#args = args.map(String);
    this.#output = output;
    this.#options = options;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  get isRunning() {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start() {
    const output = openSync(this.#output, 'a');
    this.#child = spawn(this.#name, this.#args, { stdio: ['ignore', output, output], ...this.#options });
    closeSync(output);
    const child = this.#child;
    killAtExit(child);
  }

  signal(name) {
    this.#child.kill(name);
  }

  async end(signal = 'SIGKILL') {
    if (!this.isRunning) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    if (signal === 'SIGKILL') this.#child.kill('SIGCONT');
    await exit;
  }
}

/** Repeats work until it succeeds, throws an error with `isFinal`, or has failed for `withinMs`. */
export async function retryUntilSuccess(work, { withinMs = 60_000, everyMs = 100 } = {}) {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.isFinal || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

/** Lists a process and then its children, so that signals reach the process before it can replace a child. */
export function listWithChildren(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return [pid, ...stdout.split('\n').filter((line) => line.trim())].map(Number);
}

/** Sends a signal, but ignores processes that have ended. */
export function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}
