import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../dist.mjs';

/** Only for servers that hang. */
const START_MS = 180_000;
const STOP_MS = 60_000;

/** @type {Set<ExampleServer>} */
const running = new Set();

/** @typedef {{port: number, log: () => string, stop: () => Promise<void>}} ExampleServer */

/**
 * Starts a server in a folder, like `npm start`, and waits until it listens.
 * @param {string} folder
 * @param {Record<string, string>} settings
 * @returns {Promise<ExampleServer>}
 */
export async function startServer(folder, settings) {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', join(ROOT, 'dist', 'main.js')], {
    cwd: folder,
    env: exampleEnvironment({ ...settings, HOST: '127.0.0.1', PORT: '0' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let text = '';
  const log = () => text;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
    running.delete(server);
  };
  const server = { port: 0, log, stop };
  running.add(server);
  const listening = new Promise((resolve) => {
    const read = (chunk) => {
      text += chunk;
      const [, port] = /Heliograph listens on http:\/\/[\w.]+:(\d+)\D/.exec(text) ?? [];
      if (!port) return;
      server.port = Number(port);
      resolve(true);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, START_MS, false);
  });
  const isListening = await Promise.race([listening, late, exited.then(() => false)]);
  clearTimeout(timer);
  if (!isListening) {
    await stop();
    throw new Error(`The server did not start. Its output:\n${text}`);
  }
  return server;
}

/** Stops the servers of all pages, for a run that is interrupted. */
export async function stopServers() {
  await Promise.all([...running].map((server) => server.stop()));
}

/** Variables of the server and of the commands. @param {Record<string, string>} settings */
export function exampleEnvironment(settings) {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, LANG: 'C.UTF-8', TZ: 'UTC', ...settings };
}
