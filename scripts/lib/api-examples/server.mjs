import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../dist.mjs';

const START_MS = 120_000;

/**
 * Starts the built server with the demo account in a temporary folder, and an endpoint that receives its webhooks.
 * @returns {Promise<{baseUrl: string, receiverUrl: string, demo: object, runCommand: (args: string[]) => Promise<unknown>,
 *   stop: () => Promise<void>}>} `runCommand` runs `heliograph` with `--json` and parses its output
 */
export async function startExampleServer() {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-examples-'));
  const receiver = await startReceiver();
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: join(folder, '.data'),
    LOG_LEVEL: 'warn',
    // The receiver of webhooks has a private address.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    // Free text to people who never wrote shows the error that callers get with a real carrier.
    SIMULATOR_REPLY_WINDOW: 'true',
  };
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exit = once(child, 'close');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exit;
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const demo = await waitForServer(child, env.DATA_DIR);
    const runCommand = async (args) => {
      const program = join(ROOT, 'dist', 'cli', 'main.js');
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env });
      return parseJson(stdout);
    };
    const receiverUrl = `http://127.0.0.1:${receiver.address().port}`;
    return { baseUrl: demo.baseUrl, receiverUrl, demo, runCommand, stop };
  } catch (error) {
    await stop();
    throw new Error(`The server did not start: ${error.message}\n${output}`);
  }
}

/** Answers every webhook, and the challenge with which a webhook in Meta's format is verified. */
async function startReceiver() {
  const server = createServer((request, response) => {
    const challenge = new URL(request.url, 'http://localhost').searchParams.get('hub.challenge');
    request.resume().on('end', () => response.end(challenge ?? 'ok'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function waitForServer(child, dataDir) {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
    try {
      const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
      // The file contains port 0 until the server listens.
      if (new URL(demo.baseUrl).port !== '0' && (await fetch(`${demo.baseUrl}/health/ready`)).ok) return demo;
    } catch {
      // Not there yet.
    }
    await sleep(50);
  }
  throw new Error('it was not ready in time');
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
