import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atExit } from '../../../chaos/world/at-exit.mjs';

const run = promisify(execFile);
const resolveScript = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Single-segment SMS that every request sends. */
export const MESSAGE = {
  from: 'Heliograph',
  to: '14155550123',
  message: 'Your code is 123456. It is valid for ten minutes.',
};

/**
 * Returns the load generator to use, and throws an error if it is not available. Prefers wrk, because wrk leaves more processor
 * time to the measured server.
 * @param {string | undefined} name `node` or `wrk`; default: wrk if installed
 */
export function checkGenerator(name) {
  const hasWrk = !spawnSync('wrk', ['--version']).error;
  if (name === undefined) return hasWrk ? 'wrk' : 'node';
  if (name !== 'node' && name !== 'wrk') throw new Error(`--generator must be node or wrk, not ${name}`);
  if (name === 'wrk' && !hasWrk) throw new Error('wrk is not installed');
  return name;
}

/**
 * Sends requests over keep-alive connections, one request at a time on each connection. With an API key, posts the message to
 * `url`; without a key, requests `url` with GET. `lost` counts timeouts and lost or refused connections, `refused` counts error
 * responses, and `p50` and `p99` are response times in milliseconds.
 * @param {{ generator: string, url: string, apiKey?: string, connections: number, seconds: number }} load
 * @returns {Promise<{ accepted: number, seconds: number, lost: number, refused: number, p50: number, p99: number }>}
 */
export async function sendLoad({ generator, url, apiKey, connections, seconds }) {
  const env = { ...process.env, BENCH_KEY: apiKey ?? '', BENCH_BODY: JSON.stringify(MESSAGE) };
  const [command, args] =
    generator === 'wrk'
      ? ['wrk', ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', resolveScript('send.lua'), url]]
      : [process.execPath, [resolveScript('node-load.mjs'), url, String(connections), String(seconds)]];
  const running = run(command, args, { env });
  const unregister = atExit(() => running.child.kill('SIGKILL'));
  const { stdout } = await running.finally(unregister);
  const line = stdout.split('\n').find((candidate) => candidate.startsWith('BENCH '));
  if (!line) throw new Error(`${command} printed no figures:\n${stdout}`);
  return JSON.parse(line.slice('BENCH '.length));
}
