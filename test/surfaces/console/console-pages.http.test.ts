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

async function openConsole(files: string): Promise<FastifyInstance> {
  const consoleApp = fastify({ exposeHeadRoutes: false });
  useErrorShape(consoleApp, renderPlain, {
    log: pino({ level: 'silent' }),
    outages: { report: () => undefined },
    isStoreAway: () => false,
  });
  await consoleApp.register(answerHeaders, { isAlwaysHttps: false });
  await consoleApp.register(consolePages, { folder: files });
  return consoleApp;
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
  app = await openConsole(folder);
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('the pages of the console', () => {
  it('are the same page at every path below /console, and never cached', async () => {
    for (const url of ['/console', '/console/', '/console/a/1/messages/2?status=failed', '/console/sign-in']) {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.body).toContain('<script nonce=');
    }
  });

  it('return the headers of GET for HEAD', async () => {
    for (const url of ['/console', '/console/a/1/messages']) {
      const response = await app.inject({ method: 'HEAD', url });
      expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([
        200,
        'text/html; charset=utf-8',
        '',
      ]);
    }
    const rootResponse = await app.inject({ method: 'HEAD', url: '/', headers: { accept: 'text/html' } });
    expect([rootResponse.statusCode, rootResponse.headers.location]).toEqual([302, '/console/']);
  });

  it('have a strict Content-Security-Policy with a new nonce for each response', async () => {
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
    // With a Strict-Transport-Security header, browsers would refuse the console on plain HTTP.
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('load files that a browser may cache forever, compressed if supported', async () => {
    const plainResponse = await get('/console/assets/index-abc123.js');
    expect(plainResponse.body).toBe(SCRIPT);
    expect(plainResponse.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plainResponse.headers['content-type']).toMatch(/^(?:text|application)\/javascript/);
    const compressedResponse = await get('/console/assets/index-abc123.js', { 'accept-encoding': 'gzip, br' });
    expect(compressedResponse.headers['content-encoding']).toBe('gzip');
    expect(compressedResponse.headers['content-type']).toBe(plainResponse.headers['content-type']);
    expect(gunzipSync(compressedResponse.rawPayload).toString()).toBe(SCRIPT);
    const smallestResponse = await get('/console/assets/page-abc123.js', {
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
    expect(smallestResponse.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(smallestResponse.rawPayload).toString()).toBe(SCRIPT);
    for (const encoding of ['gzip', 'gzip, br;q=0']) {
      const gzipResponse = await get('/console/assets/page-abc123.js', { 'accept-encoding': encoding });
      expect(gzipResponse.headers['content-encoding']).toBe('gzip');
    }
  });

  it('are not served for missing files, or for files outside the folder', async () => {
    for (const url of ['/console/assets/gone.js', '/console/assets/', '/console/assets/..%2findex.html']) {
      const response = await get(url);
      expect([400, 403, 404]).toContain(response.statusCode);
      expect(response.body).not.toContain('nonce');
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });

  it('explain how to build the console if it is not built', async () => {
    const appWithoutBuild = await openConsole(join(folder, 'nowhere'));
    const response = await appWithoutBuild.inject('/console/sign-in');
    expect(response.statusCode).toBe(503);
    expect(response.body).toBe('The console is not built. Run: npm run build\n');
    await appWithoutBuild.close();
  });
});

describe('/', () => {
  let fullApp: TestApp;
  let worker: TestApp;

  beforeAll(async () => {
    fullApp = await testApp();
    worker = await testApp({ sharesWith: fullApp, role: 'worker' });
  });

  afterAll(async () => {
    await worker?.close();
    await fullApp?.close();
  });

  it('redirects a browser to the console, and returns 404 to other clients', async () => {
    const browserResponse = await fullApp.app.inject({
      url: '/',
      headers: { accept: 'text/html,application/xhtml+xml' },
    });
    expect(browserResponse.statusCode).toBe(302);
    expect(browserResponse.headers.location).toBe('/console/');
    const programResponse = await fullApp.app.inject({ url: '/', headers: { accept: 'application/json' } });
    expect(programResponse.statusCode).toBe(404);
    expect(programResponse.json()).toEqual({ error: { code: 'NOT_FOUND', message: 'There is no GET /.' } });
  });

  it('does not exist in a worker process, and neither does the console', async () => {
    for (const url of ['/', '/console', '/console/sign-in']) {
      const response = await worker.app.inject({ url, headers: { accept: 'text/html' } });
      expect(response.statusCode).toBe(404);
    }
  });
});
