import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { forSuite, openForSuite, suiteStore } from '../../support/for-suite.js';
import { buildForm } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { type ServerProcess, startServerProcess } from '../../support/processes/server-process.js';
import { testSettings } from '../../support/test-app.js';

const MB = 1024 * 1024;
const FILE_BYTES = 100 * MB;
/** A server that holds the file in memory once would need 100 MB. */
const MORE_BYTES = 60 * MB;
const SAMPLE_MS = 20;
/** Longer than the timeout of a request without a file. */
const SLOW_MS = 7_000;

const store = suiteStore();
const channel = forSuite(() => createTestChannel(store));
const server = openForSuite(async () => {
  const settings = {
    ...testSettings('postgres'),
    DATABASE_URL: store.url,
    LOG_LEVEL: 'warn',
    DATA_DIR: join(inject('services').runFolder, 'large-files'),
  };
  const started = await startServerProcess({ settings });
  return { started, close: async () => void (await started.stop()) };
});

function createForm(size: number) {
  const { payload, headers } = buildForm({ bytes: buildFile('application/pdf'), type: 'application/pdf' });
  const head = buildFile('application/pdf');
  const headOffset = payload.indexOf(head) + head.length;
  const hash = createHash('sha256').update(head);
  const length = payload.length + size - head.length;
  async function* pieces() {
    yield payload.subarray(0, headOffset);
    for (let left = size - head.length, piece = 0; left > 0; piece += 1) {
      const bytes = Buffer.alloc(Math.min(64 * 1024, left), piece % 251);
      hash.update(bytes);
      left -= bytes.length;
      yield bytes;
    }
    yield payload.subarray(headOffset);
  }
  return { pieces, headers: { ...headers, 'content-length': String(length) }, hash };
}

function sendRequest(
  { baseUrl }: ServerProcess,
  { headers }: TestChannel,
  path: string,
  method: string,
  more: object = {},
) {
  let sent: ClientRequest | undefined;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent = request(`${baseUrl}/api/v1${path}`, { method, headers: { ...headers, ...more }, agent: false }, resolve);
    sent.on('error', reject);
  });
  return { sent: sent as ClientRequest, answered };
}

async function write(sent: ClientRequest, pieces: AsyncIterable<Buffer>) {
  for await (const piece of pieces) {
    if (!sent.write(piece)) await new Promise((resolve) => sent.once('drain', resolve));
  }
  sent.end();
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function upload(size: number): Promise<{ id: string; sha256: string; size: number }> {
  const { pieces, headers, hash } = createForm(size);
  const { sent, answered } = sendRequest(server.started, channel, '/media', 'POST', headers);
  await write(sent, pieces());
  const text = await readText(await answered);
  const { data } = JSON.parse(text);
  expect(data, text).toMatchObject({ size, sha256: hash.digest('base64') });
  return data;
}

async function download(id: string): Promise<string> {
  const { sent, answered } = sendRequest(server.started, channel, `/media/${id}`, 'GET');
  sent.end();
  const hash = createHash('sha256');
  for await (const chunk of await answered) hash.update(chunk as Buffer);
  return hash.digest('base64');
}

/** In bytes. */
function readMemory({ process: { pid } }: ServerProcess): number {
  if (process.platform === 'linux') {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024;
}

async function measureMemoryGrowth(work: () => Promise<unknown>): Promise<number> {
  const before = readMemory(server.started);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, readMemory(server.started));
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return Math.max(most, readMemory(server.started)) - before;
}

it('a file of 100 MB is uploaded and downloaded with less than 60 MB of additional memory', async () => {
  // The first transfer is not measured, because the code is not compiled yet.
  await download((await upload(MB)).id);
  let uploaded: { id: string; sha256: string } | undefined;
  const inMemory = await measureMemoryGrowth(async () => {
    uploaded = await upload(FILE_BYTES);
  });
  const outMemory = await measureMemoryGrowth(async () => {
    expect(await download(uploaded?.id ?? '')).toBe(uploaded?.sha256);
  });
  const report = `${Math.round(inMemory / MB)} MB more in, ${Math.round(outMemory / MB)} MB more out`;
  expect(inMemory, report).toBeLessThan(MORE_BYTES);
  expect(outMemory, report).toBeLessThan(MORE_BYTES);
});

it('a file of one byte over 100 MB is refused during the upload', async () => {
  const { pieces, headers } = createForm(FILE_BYTES + 1);
  const { sent, answered } = sendRequest(server.started, channel, '/media', 'POST', headers);
  await write(sent, pieces());
  const answer = await answered;
  expect(answer.statusCode).toBe(413);
  expect(JSON.parse(await readText(answer)).error.message).toContain('is larger than the 100 MB');
});

it('an upload may take longer than the timeout of other requests', async () => {
  const { pieces, headers } = createForm(MB);
  const { sent, answered } = sendRequest(server.started, channel, '/media', 'POST', headers);
  const whole: Buffer[] = [];
  for await (const piece of pieces()) whole.push(piece);
  sent.write(Buffer.concat(whole.slice(0, 4)));
  await pause(SLOW_MS);
  sent.end(Buffer.concat(whole.slice(4)));
  expect((await answered).statusCode).toBe(200);
});
