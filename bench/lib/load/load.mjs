import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atExit } from '../../../chaos/world/at-exit.mjs';

const run = promisify(execFile);
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What every request sends: an SMS of one part to one number. */
export const MESSAGE = {
  from: 'Heliograph',
  to: '14155550123',
  message: 'Your code is 123456. It is valid for ten minutes.',
};

/**
 * The load generator. It shares the processors with what it measures, and wrk takes less of them than one in Node.js; but
 * that one lies here, so that anybody can repeat a run.
 * @param {string | undefined} name `node` or `wrk`; unless told, wrk where the machine has it
 */
export function checkGenerator(name) {
  const hasWrk = !spawnSync('wrk', ['--version']).error;
  if (name === undefined) return hasWrk ? 'wrk' : 'node';
  if (name !== 'node' && name !== 'wrk') throw new Error(`--generator is node or wrk, not ${name}`);
  if (name === 'wrk' && !hasWrk) throw new Error('there is no wrk on this machine');
  return name;
}

/**
 * Sends requests over keep-alive connections, each as soon as its last one is answered: with a key, a POST of the message; without
 * one, a GET whose address says everything.
 * @param {{ generator: string, url: string, apiKey?: string, connections: number, seconds: number }} load
 * @returns {Promise<{ accepted: number, seconds: number, lost: number, refused: number, p50: number, p99: number }>}
 *   latencies in milliseconds; `lost` counts connections that were lost or refused and requests that timed out, `refused`
 *   every answer but a success
 */
export async function sendLoad({ generator, url, apiKey, connections, seconds }) {
  const env = { ...process.env, BENCH_KEY: apiKey ?? '', BENCH_BODY: JSON.stringify(MESSAGE) };
  const [command, args] =
    generator === 'wrk'
      ? ['wrk', ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', beside('send.lua'), url]]
      : [process.execPath, [beside('node-load.mjs'), url, String(connections), String(seconds)]];
  const running = run(command, args, { env });
  const ended = atExit(() => running.child.kill('SIGKILL'));
  const { stdout } = await running.finally(ended);
  const line = stdout.split('\n').find((each) => each.startsWith('BENCH '));
  if (!line) throw new Error(`${command} gave no figures:\n${stdout}`);
  return JSON.parse(line.slice('BENCH '.length));
}
