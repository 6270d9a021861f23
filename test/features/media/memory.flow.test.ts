import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { closedAfter, forSuite, suiteStore } from '../../support/for-suite.js';
import { formOf } from '../../support/media/calls.js';
import { fileOf } from '../../support/media/files.js';
import { type ServerProcess, startServerProcess } from '../../support/processes/server-process.js';
import { testSettings } from '../../support/test-app.js';

const MB = 1024 * 1024;
const FILE_BYTES = 100 * MB;
/** Of a server that held the file once, it would be a hundred. */
const MORE_BYTES = 60 * MB;
const SAMPLE_MS = 20;
/** Longer than a request may take that brings no file. */
const SLOW_MS = 7_000;

const store = suiteStore();
const channel = forSuite(() => createTestChannel(store));
const server = closedAfter(async () => {
  const settings = {
    ...testSettings('postgres'),
    DATABASE_URL: store.url,
    LOG_LEVEL: 'warn',
    DATA_DIR: join(inject('services').runFolder, 'large-files'),
  };
  const started = await startServerProcess({ settings });
  return { started, close: async () => void (await started.stop()) };
});

/** The form of a file of a size, piece by piece, and its hash. */
function formOfSize(size: number) {
  const { payload, headers } = formOf({ bytes: fileOf('application/pdf'), type: 'application/pdf' });
  const head = fileOf('application/pdf');
  const at = payload.indexOf(head) + head.length;
  const hash = createHash('sha256').update(head);
  const length = payload.length + size - head.length;
  async function* pieces() {
    yield payload.subarray(0, at);
    for (let left = size - head.length, piece = 0; left > 0; piece += 1) {
      const bytes = Buffer.alloc(Math.min(64 * 1024, left), piece % 251);
      hash.update(bytes);
      left -= bytes.length;
      yield bytes;
    }
    yield payload.subarray(at);
  }
  return { pieces, headers: { ...headers, 'content-length': String(length) }, hash };
}

function ask({ baseUrl }: ServerProcess, { headers }: TestChannel, path: string, method: string, more: object = {}) {
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

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function upload(size: number): Promise<{ id: string; sha256: string; size: number }> {
  const { pieces, headers, hash } = formOfSize(size);
  const { sent, answered } = ask(server.started, channel, '/media', 'POST', headers);
  await write(sent, pieces());
  const text = await textOf(await answered);
  const { data } = JSON.parse(text);
  expect(data, text).toMatchObject({ size, sha256: hash.digest('base64') });
  return data;
}

/** Reads a file away. @returns its hash */
async function download(id: string): Promise<string> {
  const { sent, answered } = ask(server.started, channel, `/media/${id}`, 'GET');
  sent.end();
  const hash = createHash('sha256');
  for await (const chunk of await answered) hash.update(chunk as Buffer);
  return hash.digest('base64');
}

/** Memory of a process, in bytes. */
function memoryOf({ process: { pid } }: ServerProcess): number {
  if (process.platform === 'linux') {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024;
}

/** The most memory of the server while something goes on, beyond what it had before. */
async function moreMemory(work: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(server.started);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(server.started));
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return Math.max(most, memoryOf(server.started)) - before;
}

it('a file of 100 MB passes with less than 60 MB more memory, in and out', async () => {
  // Once without looking, for the code is not compiled yet.
  await download((await upload(MB)).id);
  let made: { id: string; sha256: string } | undefined;
  const inMemory = await moreMemory(async () => {
    made = await upload(FILE_BYTES);
  });
  const outMemory = await moreMemory(async () => {
    expect(await download(made?.id ?? '')).toBe(made?.sha256);
  });
  const report = `${Math.round(inMemory / MB)} MB more in, ${Math.round(outMemory / MB)} MB more out`;
  expect(inMemory, report).toBeLessThan(MORE_BYTES);
  expect(outMemory, report).toBeLessThan(MORE_BYTES);
});

it('one byte more than 100 MB is refused while it comes', async () => {
  const { pieces, headers } = formOfSize(FILE_BYTES + 1);
  const { sent, answered } = ask(server.started, channel, '/media', 'POST', headers);
  await write(sent, pieces());
  const answer = await answered;
  expect(answer.statusCode).toBe(413);
  expect(JSON.parse(await textOf(answer)).error.message).toContain('is larger than the 100 MB');
});

it('a file may take longer to arrive than another request may', async () => {
  const { pieces, headers } = formOfSize(MB);
  const { sent, answered } = ask(server.started, channel, '/media', 'POST', headers);
  const whole: Buffer[] = [];
  for await (const piece of pieces()) whole.push(piece);
  sent.write(Buffer.concat(whole.slice(0, 4)));
  await pause(SLOW_MS);
  sent.end(Buffer.concat(whole.slice(4)));
  expect((await answered).statusCode).toBe(200);
});
