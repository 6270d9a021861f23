import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../dist.mjs';
import { exampleEnvironment, startServer } from '../examples/server.mjs';

const SETTINGS = {
  // The receiver of webhooks has a private address.
  WEBHOOK_ALLOW_PRIVATE: 'true',
  // Free text to people who never wrote shows the error that callers get with a real carrier.
  SIMULATOR_REPLY_WINDOW: 'true',
};

/**
 * Starts the built server with the demo account in a temporary folder, and an endpoint that receives its webhooks.
 * @returns {Promise<{baseUrl: string, receiverUrl: string, demo: object, runCommand: (args: string[]) => Promise<unknown>,
 *   stop: () => Promise<void>}>} `runCommand` runs `heliograph` with `--json` and parses its output
 */
export async function startExampleServer() {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-examples-'));
  const receiver = await startReceiver();
  const remove = () => {
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const server = await startServer(folder, SETTINGS).catch((error) => {
    remove();
    throw error;
  });
  const demo = JSON.parse(readFileSync(join(folder, '.data', 'demo.json'), 'utf8'));
  const runCommand = async (args) => {
    const program = join(ROOT, 'dist', 'cli', 'main.js');
    const options = { cwd: folder, env: exampleEnvironment(SETTINGS) };
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options);
    return parseJson(stdout);
  };
  const stop = async () => {
    await server.stop();
    remove();
  };
  return { baseUrl: demo.baseUrl, receiverUrl: `http://127.0.0.1:${receiver.address().port}`, demo, runCommand, stop };
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

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
