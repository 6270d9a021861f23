import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors/app-error.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, get, post, SMS } from '../a/requests.js';

const heliograph = suiteApp();
let account: TestAccount;
let port: number;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
  port = (heliograph.app.server.address() as { port: number }).port;
});

describe('unknown routes and wrong methods get 404 in the format of the surface, with or without a key', () => {
  it.each([
    ['GET', '/v1.0'],
    ['GET', '/v1.0/'],
    ['GET', '/v1.0/nothing'],
    ['GET', '/v1.0/sms/send'],
    ['DELETE', '/v1.0/sms/send'],
    ['PUT', '/v1.0/account/balance'],
    ['POST', '/v1.0/sms/status/x'],
    ['GET', '/v1.0/sms/status'],
    ['PROPFIND', '/v1.0/sms/send'],
  ])('v1.0: %s %s', async (method, url) => {
    for (const headers of [{}, account.headers]) {
      expectErrorV1(await heliograph.app.inject({ method: method as 'GET', url, headers }), 404);
    }
  });

  it('HEAD is supported only for health checks', async () => {
    const getStatus = async (url: string) =>
      (await heliograph.app.inject({ method: 'HEAD', url, headers: account.headers })).statusCode;
    for (const url of ['/v1.0/account/balance', '/api/v1/contacts', '/api/v1/account']) {
      expect(await getStatus(url)).toBe(404);
    }
    for (const url of ['/health/live', '/health/ready', '/openapi.json']) expect(await getStatus(url)).toBe(200);
  });

  it.each([
    ['GET', '/v2'],
    ['GET', '/v2/send'],
    ['PUT', '/v2/send'],
    ['POST', '/v2/nothing'],
    ['POST', '/v2/send/'],
  ])('v2: %s %s', async (method, url) => {
    expectErrorV2(await heliograph.app.inject({ method: method as 'GET', url }), 404, []);
  });

  it.each([
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/messages/template'],
    ['DELETE', '/api/v1/account'],
    ['POST', '/api/v1/account/'],
    ['GET', '/simulator/v1/nothing'],
  ])('Surface B: %s %s', async (method, url) => {
    const response = await heliograph.app.inject({ method: method as 'GET', url });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ success: false, error: { code: 'NOT_FOUND', message: expect.any(String) } });
  });

  it.each(['/', '/v1', '/v1.1/sms/send', '/v10', '/v20/send', '/api', '/%2e%2e/etc/passwd'])(
    'other paths: %s',
    async (url) => {
      const response = await heliograph.app.inject({ method: 'GET', url });
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
    },
  );

  it('an unknown route gets 404 even with an invalid body', async () => {
    expectErrorV1(await post(heliograph.app, '/v1.0/nothing', account, '{'), 404);
    expectErrorV1(await post(heliograph.app, '/v1.0/nothing', account, 'x', { 'content-type': 'text/plain' }), 404);
  });
});

describe('paths and query strings', () => {
  it.each(['/v1.0/sms/status/%', '/v1.0/sms/status/%zz', '/v1.0/sms/status/%ff', '/v1.0/%E0%A4%A'])(
    'malformed percent-encoding gets 400: %s',
    async (url) => {
      const response = await get(heliograph.app, url, account);
      expectErrorV1(response, 400, expect.stringContaining('percent-encoded'));
      expect(response.headers['x-request-id']).toBeTruthy();
    },
  );

  it('a NUL character in the path gets 400 naming the field', async () => {
    expectErrorV1(
      await get(heliograph.app, '/v1.0/sms/status/a%00b', account),
      400,
      expect.stringMatching(/^message_id /),
    );
  });

  it.each([
    ['/v1.0/account/balance?name=a%00b', /^name must not contain NUL/],
    ['/v1.0/account/balance?a=1&%00=b', /^query has a name/],
    ['/v1.0/account/balance?name=%ed%a0%80', /^name must be valid percent-encoded UTF-8/],
    ['/v1.0/account/balance?name=%', /^name must be valid percent-encoded UTF-8/],
  ])('%s gets 400', async (url, message) => {
    expectErrorV1(await get(heliograph.app, url, account), 400, expect.stringMatching(message));
  });

  it('an unknown query field is ignored', async () => {
    expect((await get(heliograph.app, '/v1.0/account/balance?x=%C3%A4+%F0%9F%98%80&y', account)).statusCode).toBe(200);
  });
});

describe('a server error', () => {
  it.each([
    ['an unexpected error', new Error('duplicate key (recipient)=(15005550111)'), 500, undefined],
    ['an internal error', new AppError('INTERNAL', 'pool of 10 exhausted at 10.0.0.1'), 500, undefined],
    ['an overloaded server', new AppError('UNAVAILABLE', 'The server is busy.'), 503, '1'],
  ])('%s reveals no internals', async (_, error, status, retryAfter) => {
    const brokenApp = await testApp({ sharesWith: heliograph });
    try {
      Object.assign(brokenApp.deps.acceptor, { accept: () => Promise.reject(error) });
      const firstResponse = await post(brokenApp.app, '/v1.0/sms/send', account, SMS);
      expectErrorV1(firstResponse, status, status === 500 ? 'Internal server error.' : 'The server is busy.');
      expect(firstResponse.headers['retry-after']).toBe(retryAfter);
      expectErrorV2(await post(brokenApp.app, '/v2/send', account, SMS), status, []);
    } finally {
      await brokenApp.close();
    }
  });
});

describe('X-Request-Id', () => {
  it('is unique and on every response', async () => {
    const ids = new Set();
    for (const url of ['/health/live', '/v1.0/account/balance', '/nothing', '/v2/%', '/v1.0/sms/status/x']) {
      ids.add((await heliograph.app.inject({ method: 'GET', url })).headers['x-request-id']);
    }
    expect(ids.size).toBe(5);
    expect(ids).not.toContain(undefined);
  });

  it('is the ID that the caller sent, if it is safe', async () => {
    const sendWithId = async (id: string) =>
      (await heliograph.app.inject({ method: 'GET', url: '/health/live', headers: { 'x-request-id': id } })).headers[
        'x-request-id'
      ];
    for (const id of ['a', 'req-1.2_3', 'x'.repeat(128)]) expect(await sendWithId(id)).toBe(id);
    for (const id of ['', 'x'.repeat(129), 'a b', 'a"b', 'a,b']) expect(await sendWithId(id)).not.toBe(id);
  });
});

async function sendRaw(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    response += chunk;
  });
  // The connection may be reset after the response if the server closes it before reading everything.
  socket.on('error', () => undefined);
  const socketClosed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(text);
  await socketClosed;
  return response;
}

function parseBody(response: string): unknown {
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
}

describe('a request that is not valid HTTP', () => {
  it('gets 400 with a JSON body', async () => {
    const response = await sendRaw('nonsense\r\n\r\n');
    expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(parseBody(response)).toEqual({ error: { code: 'INVALID_REQUEST', message: expect.any(String) } });
  });

  it('without Host gets 400 in the format of its surface', async () => {
    const response = await sendRaw('POST /v2/send HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(parseBody(response)).toMatchObject({ status: 'error', code: 400, message: expect.stringContaining('Host') });
    expect(await sendRaw('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 200 OK\r\n/);
  });

  it('with headers above the limit gets 431', async () => {
    const response = await sendRaw(`GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
    expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(parseBody(response)).toEqual({ error: { code: 'INVALID_REQUEST', message: expect.any(String) } });
  });

  const MANY_HEADERS = `Host: x\r\nConnection: close\r\n${'X-A: 1\r\n'.repeat(2_050)}Authorization: Bearer x\r\n\r\n`;
  const GZIP = 'Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n';
  const HOST_TWICE = 'Host: a\r\nhost: b\r\nConnection: close\r\n\r\n';
  const LONG_HEADER = `Host: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
  const UNKNOWN_EXPECTATION = 'Host: x\r\nExpect: 200-maybe\r\nContent-Length: 5\r\n\r\n{';
  it.each([
    ['two Host headers', 400, HOST_TWICE],
    ['a header line without a colon', 400, 'Host: x\r\nnonsense\r\n\r\n'],
    ['two Content-Length headers', 400, 'Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{'],
    ['headers that are too long', 431, LONG_HEADER],
    ['an unknown expectation', 417, UNKNOWN_EXPECTATION],
    ['more headers than the limit', 431, MANY_HEADERS],
    ['a transfer encoding other than chunked', 501, GZIP],
  ])('with %s gets %i in the format of the surface', async (_, status, headers) => {
    const shapes = [
      ['/v1.0/sms/send', { status: 'error', message: expect.any(String), code: String(status) }],
      ['/v2/send', { status: 'error', message: expect.any(String), code: status, data: { errors: [] } }],
      ['/api/v1/contacts', { success: false, error: { code: 'INVALID_REQUEST', message: expect.any(String) } }],
      ['/nothing', { error: { code: 'INVALID_REQUEST', message: expect.any(String) } }],
    ] as const;
    for (const [path, shape] of shapes) {
      // An invalid Host is reported only for known endpoints, because unknown paths get a 404 first.
      if (path === '/nothing' && headers === HOST_TWICE) continue;
      const response = await sendRaw(`POST ${path} HTTP/1.1\r\n${headers}`);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/i);
      expect(response).toMatch(/\r\nconnection: close\r\n/i);
      expect(parseBody(response)).toEqual(shape);
    }
  });

  it('with CONNECT gets a response, and its connection is closed', async () => {
    const response = await sendRaw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(parseBody(response)).toEqual({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('CONNECT') },
    });
  });

  it('with a key after many headers is authenticated', async () => {
    const manyHeaders = 'X-A: 1\r\n'.repeat(190);
    const { authorization } = account.headers;
    const response = await sendRaw(
      `GET /v2/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${manyHeaders}Authorization: ${authorization}\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('with two Idempotency-Key headers gets 400, but one key may contain a comma', async () => {
    const body = JSON.stringify(SMS);
    const send = (keys: string) =>
      sendRaw(
        `POST /v2/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${account.headers.authorization}\r\n` +
          `${keys}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const responseToTwoKeys = await send('Idempotency-Key: a\r\nidempotency-key: b\r\n');
    expect(responseToTwoKeys).toMatch(/^HTTP\/1\.1 400 /);
    expect(parseBody(responseToTwoKeys)).toMatchObject({ data: { errors: [{ field: 'Idempotency-Key' }] } });
    expect(await send('Idempotency-Key: a, b\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['iso-8859-1', 415],
    ['"UTF-16"', 415],
    ['utf-8', 200],
    ['"UTF-8"', 200],
  ])('with a body in the charset %s gets %i', async (charset, status) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    expect((await post(heliograph.app, '/v2/send', account, SMS, headers)).statusCode).toBe(status);
  });

  it('with a URL that is too long gets 431 in the format of the surface of its path', async () => {
    const response = await sendRaw(`GET /v2/messages?to=${'1'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
    expect(parseBody(response)).toEqual({
      status: 'error',
      message: expect.any(String),
      code: 431,
      data: { errors: [] },
    });
    const otherResponse = await sendRaw(`GET /api/v1/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(parseBody(otherResponse)).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST' } });
  });

  it('with unfinished headers gets 408 within seconds', async () => {
    // By default, Node.js would wait 60 seconds for the headers.
    const response = await sendRaw('GET /health/live HTTP/1.1\r\nHost: x\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(response).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(parseBody(response)).toMatchObject({ error: { message: expect.stringContaining('too long') } });
  });

  const sendUnfinished = (path: string, headers: string) =>
    sendRaw(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: slow\r\n${headers}` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );

  it('with an unfinished body gets an error of its surface after 4 to 7 seconds', async () => {
    const start = performance.now();
    // Counts only the time in which the process is not blocked, because a blocked process cannot respond.
    let runningMs = 0;
    const timer = setInterval(() => {
      runningMs += 100;
    }, 100);
    const authorization = `Authorization: ${account.headers.authorization}\r\n`;
    const bothResponses = Promise.all([
      sendUnfinished('/v2/send', authorization),
      sendUnfinished('/v1.0/sms/send', authorization),
    ]);
    const responses = await bothResponses.finally(() => clearInterval(timer));
    expect(performance.now() - start).toBeGreaterThan(4000);
    expect(runningMs).toBeLessThan(7500);
    for (const response of responses) {
      expect(response).toMatch(/^HTTP\/1\.1 408 /);
      expect(response).toContain('\r\nx-request-id: slow\r\n');
    }
    expect(responses.map(parseBody)).toMatchObject([
      { status: 'error', code: 408, data: { errors: [] } },
      { status: 'error', code: '408' },
    ]);
  });

  it('gets one response if it is refused before its body arrives', async () => {
    const responses = await Promise.all(['/v2/send', '/v2/%', '/nothing'].map((path) => sendUnfinished(path, '')));
    expect(responses.map((response) => response.match(/HTTP\/1\.1 \d+/g))).toEqual([
      ['HTTP/1.1 401'],
      ['HTTP/1.1 400'],
      ['HTTP/1.1 404'],
    ]);
  });
});

describe('MAX_CONNECTIONS', () => {
  it('closes connections above the limit, and accepts new connections once others have ended', async () => {
    const smallApp = await testApp({ sharesWith: heliograph, settings: { MAX_CONNECTIONS: '2' } });
    await smallApp.app.listen({ port: 0, host: '127.0.0.1' });
    const { port: smallPort } = smallApp.app.server.address() as { port: number };
    const openConnection = async () => {
      const socket = connect(smallPort, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    try {
      const firstSockets = [await openConnection(), await openConnection()];
      await once(await openConnection(), 'close');
      for (const socket of firstSockets) {
        socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
      }
      await waitFor('a free connection', async () => (await fetch(`http://127.0.0.1:${smallPort}/health/live`)).ok);
    } finally {
      await smallApp.close();
    }
  });
});

describe('closing the server', () => {
  it('finishes the request in progress, and then closes its connection', async () => {
    const closingApp = await testApp({ sharesWith: heliograph });
    await closingApp.app.listen({ port: 0, host: '127.0.0.1' });
    const { port: closingPort } = closingApp.app.server.address() as { port: number };
    let release = () => {};
    const accept = closingApp.deps.acceptor.accept.bind(closingApp.deps.acceptor);
    const released = new Promise<void>((resolve) => {
      Object.assign(closingApp.deps.acceptor, {
        accept: async (request: Parameters<typeof accept>[0]) => {
          resolve();
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return accept(request);
        },
      });
    });
    const response = fetch(`http://127.0.0.1:${closingPort}/v1.0/sms/send`, {
      method: 'POST',
      headers: { ...account.headers, 'content-type': 'application/json' },
      body: JSON.stringify(SMS),
    });
    await released;
    const start = performance.now();
    const closePromise = closingApp.close();
    release();
    expect((await response).status).toBe(200);
    await closePromise;
    // If the server did not close the connection, Node.js would keep the connection open for 72 seconds.
    expect(performance.now() - start).toBeLessThan(70_000);
  });
});
