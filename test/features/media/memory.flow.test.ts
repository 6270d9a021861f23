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
/** A server that kept the whole file in memory would need at least 100 MB. */
const MORE_BYTES = 60 * MB;
const SAMPLE_MS = 20;
/** Duration of a slow transfer, longer than the timeout of a request without a file. */
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
  const serverProcess = await startServerProcess({ settings });
  return { serverProcess, close: async () => void (await serverProcess.stop()) };
});

function createForm(size: number) {
  const { payload, headers } = buildForm({ bytes: buildFile('application/pdf'), type: 'application/pdf' });
  const head = buildFile('application/pdf');
  const headOffset = payload.indexOf(head) + head.length;
  const hash = createHash('sha256').update(head);
  const length = payload.length + size - head.length;
  async function* generateChunks() {
    yield payload.subarray(0, headOffset);
    for (let bytesLeft = size - head.length, chunkIndex = 0; bytesLeft > 0; chunkIndex += 1) {
      const bytes = Buffer.alloc(Math.min(64 * 1024, bytesLeft), chunkIndex % 251);
      hash.update(bytes);
      bytesLeft -= bytes.length;
      yield bytes;
    }
    yield payload.subarray(headOffset);
  }
  return { generateChunks, headers: { ...headers, 'content-length': String(length) }, hash };
}

function sendRequest(
  { baseUrl }: ServerProcess,
  { headers }: TestChannel,
  path: string,
  method: string,
  extraHeaders: object = {},
) {
  let outgoing: ClientRequest | undefined;
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing = request(
      `${baseUrl}/api/v1${path}`,
      { method, headers: { ...headers, ...extraHeaders }, agent: false },
      resolve,
    );
    outgoing.on('error', reject);
  });
  return { outgoing: outgoing as ClientRequest, response };
}

async function writeChunks(outgoing: ClientRequest, chunks: AsyncIterable<Buffer>) {
  for await (const chunk of chunks) {
    if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
  outgoing.end();
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function upload(size: number): Promise<{ id: string; sha256: string; size: number }> {
  const { generateChunks, headers, hash } = createForm(size);
  const { outgoing, response } = sendRequest(server.serverProcess, channel, '/media', 'POST', headers);
  await writeChunks(outgoing, generateChunks());
  const text = await readText(await response);
  const { data } = JSON.parse(text);
  expect(data, text).toMatchObject({ size, sha256: hash.digest('base64') });
  return data;
}

async function download(id: string): Promise<string> {
  const { outgoing, response } = sendRequest(server.serverProcess, channel, `/media/${id}`, 'GET');
  outgoing.end();
  const hash = createHash('sha256');
  for await (const chunk of await response) hash.update(chunk as Buffer);
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
  const memoryBefore = readMemory(server.serverProcess);
  let maxMemory = memoryBefore;
  const timer = setInterval(() => {
    maxMemory = Math.max(maxMemory, readMemory(server.serverProcess));
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return Math.max(maxMemory, readMemory(server.serverProcess)) - memoryBefore;
}

it('a file of 100 MB is uploaded and downloaded with less than 60 MB of additional memory', async () => {
  // The first transfer is not measured, because V8 has not compiled the code yet.
  await download((await upload(MB)).id);
  let uploadedFile: { id: string; sha256: string } | undefined;
  const inMemory = await measureMemoryGrowth(async () => {
    uploadedFile = await upload(FILE_BYTES);
  });
  const outMemory = await measureMemoryGrowth(async () => {
    expect(await download(uploadedFile?.id ?? '')).toBe(uploadedFile?.sha256);
  });
  const report = `${Math.round(inMemory / MB)} MB more in, ${Math.round(outMemory / MB)} MB more out`;
  expect(inMemory, report).toBeLessThan(MORE_BYTES);
  expect(outMemory, report).toBeLessThan(MORE_BYTES);
});

it('a file of one byte over 100 MB is refused during the upload', async () => {
  const { generateChunks, headers } = createForm(FILE_BYTES + 1);
  const { outgoing, response } = sendRequest(server.serverProcess, channel, '/media', 'POST', headers);
  await writeChunks(outgoing, generateChunks());
  const refusal = await response;
  expect(refusal.statusCode).toBe(413);
  expect(JSON.parse(await readText(refusal)).error.message).toContain('is larger than the 100 MB');
});

it('an upload may take longer than the timeout of other requests', async () => {
  const { generateChunks, headers } = createForm(MB);
  const { outgoing, response } = sendRequest(server.serverProcess, channel, '/media', 'POST', headers);
  const allChunks: Buffer[] = [];
  for await (const chunk of generateChunks()) allChunks.push(chunk);
  outgoing.write(Buffer.concat(allChunks.slice(0, 4)));
  await pause(SLOW_MS);
  outgoing.end(Buffer.concat(allChunks.slice(4)));
  expect((await response).statusCode).toBe(200);
});
