import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePages } from '../../../src/surfaces/console/console-pages.js';
import { answerHeaders } from '../../../src/surfaces/http/connection/answer-headers.js';
import { renderPlain, useErrorShape } from '../../../src/surfaces/http/errors.js';
import { type TestApp, testApp } from '../../support/test-app.js';

const PAGE = '<script nonce="{nonce}">1</script><meta property="csp-nonce" nonce="{nonce}">';
const SCRIPT = 'export const value = 1;\n'.repeat(100);

let folder: string;
let app: FastifyInstance;

async function open(files: string): Promise<FastifyInstance> {
  const opened = fastify({ exposeHeadRoutes: false });
  useErrorShape(opened, renderPlain, {
    log: pino({ level: 'silent' }),
    outages: { report: () => undefined },
    isStoreAway: () => false,
  });
  await opened.register(answerHeaders, { isAlwaysHttps: false });
  await opened.register(consolePages, { folder: files });
  return opened;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'assets', 'index-abc123.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'index-abc123.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'page-abc123.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'page-abc123.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'page-abc123.js.br'), brotliCompressSync(SCRIPT));
  app = await open(folder);
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('the pages of the console', () => {
  it('are one page at every path below /console, never cached', async () => {
    for (const url of ['/console', '/console/', '/console/a/1/messages/2?status=failed', '/console/sign-in']) {
      const answer = await get(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toContain('<script nonce=');
    }
  });

  it('answer HEAD like GET, without the page', async () => {
    for (const url of ['/console', '/console/a/1/messages']) {
      const answer = await app.inject({ method: 'HEAD', url });
      expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
        200,
        'text/html; charset=utf-8',
        '',
      ]);
    }
    const front = await app.inject({ method: 'HEAD', url: '/', headers: { accept: 'text/html' } });
    expect([front.statusCode, front.headers.location]).toEqual([302, '/console/']);
  });

  it('have a policy that allows nothing unsafe, with a new nonce for each answer', async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 3; count += 1) {
      const { headers, body } = await get('/console');
      const policy = String(headers['content-security-policy']);
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("connect-src 'self'");
      const [, nonce = ''] = /script-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? [];
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
      expect(body).toBe(PAGE.replaceAll('{nonce}', nonce));
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it('cannot be framed, and reveal nothing to other sites', async () => {
    const { headers } = await get('/console');
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    // After this header, a browser would refuse the console on plain HTTP.
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('load files that a browser may cache forever, compressed if it supports that', async () => {
    const plain = await get('/console/assets/index-abc123.js');
    expect(plain.body).toBe(SCRIPT);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toMatch(/^(?:text|application)\/javascript/);
    const packed = await get('/console/assets/index-abc123.js', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
    expect(gunzipSync(packed.rawPayload).toString()).toBe(SCRIPT);
    const smallest = await get('/console/assets/page-abc123.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(smallest.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(smallest.rawPayload).toString()).toBe(SCRIPT);
    for (const encoding of ['gzip', 'gzip, br;q=0']) {
      const older = await get('/console/assets/page-abc123.js', { 'accept-encoding': encoding });
      expect(older.headers['content-encoding']).toBe('gzip');
    }
  });

  it('are not served for missing files, or for files outside the folder', async () => {
    for (const url of ['/console/assets/gone.js', '/console/assets/', '/console/assets/..%2findex.html']) {
      const answer = await get(url);
      expect([400, 403, 404]).toContain(answer.statusCode);
      expect(answer.body).not.toContain('nonce');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('say how to build the console if it is not built', async () => {
    const unbuilt = await open(join(folder, 'nowhere'));
    const answer = await unbuilt.inject('/console/sign-in');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toBe('The console is not built. Run: npm run build\n');
    await unbuilt.close();
  });
});

describe('/', () => {
  let whole: TestApp;
  let worker: TestApp;

  beforeAll(async () => {
    whole = await testApp();
    worker = await testApp({ sharesWith: whole, role: 'worker' });
  });

  afterAll(async () => {
    await worker?.close();
    await whole?.close();
  });

  it('redirects a browser to the console, and answers 404 to others', async () => {
    const browser = await whole.app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml' } });
    expect(browser.statusCode).toBe(302);
    expect(browser.headers.location).toBe('/console/');
    const other = await whole.app.inject({ url: '/', headers: { accept: 'application/json' } });
    expect(other.statusCode).toBe(404);
    expect(other.json()).toEqual({ error: { code: 'NOT_FOUND', message: 'There is no GET /.' } });
  });

  it('does not exist in a worker process, and neither does the console', async () => {
    for (const url of ['/', '/console', '/console/sign-in']) {
      const answer = await worker.app.inject({ url, headers: { accept: 'text/html' } });
      expect(answer.statusCode).toBe(404);
    }
  });
});
