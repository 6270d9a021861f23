import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type FastifyInstance, fastify } from 'fastify';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SocketErrors } from '../../../src/surfaces/http/connection/socket-errors.js';
import {
  createResponseClass,
  type DiscardLimits,
  UnreadBodies,
  unreadBodies,
} from '../../../src/surfaces/http/connection/unread-bodies.js';
import { renderPlain } from '../../../src/surfaces/http/errors.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { withinWindow } from '../../support/within-window.js';

const MB = 1024 * 1024;
const SIZES = [3 * MB, 8 * MB];

const heliograph = suiteApp({ role: 'api', settings: { RATE_LIMIT_PER_SECOND: '0' } });
let account: TestAccount;
let port: number;
let folder: string;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = heliograph.app.server.address() as AddressInfo);
  folder = await mkdtemp(join(tmpdir(), 'heliograph-unread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const makeBody = (bytes: number) => Buffer.from(`{"message":"${'x'.repeat(bytes - 14)}"}`);

type Framing = 'Content-Length' | 'chunked' | 'Expect: 100-continue';

interface RawRequest {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body: Buffer;
  framing: Framing;
  to?: number;
}

/** Writes the whole request before reading the response, like simple clients. */
async function writeThenRead({
  path,
  method = 'POST',
  headers = {},
  body,
  framing,
  to = port,
}: RawRequest): Promise<string> {
  const socket = connect(to, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const framingHeaders = framing === 'chunked' ? ['Transfer-Encoding: chunked'] : [`Content-Length: ${body.length}`];
  if (framing.startsWith('Expect')) framingHeaders.push(framing);
  const headerEntries = Object.entries({ 'content-type': 'application/json', ...headers });
  const headLines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...framingHeaders,
    ...headerEntries.map(([name, value]) => `${name}: ${value}`),
  ];
  const chunkedBody = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
  const pieces = [`${headLines.join('\r\n')}\r\n\r\n`, ...(framing === 'chunked' ? chunkedBody : [body])];
  for (const piece of pieces) {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const [, start] = /^([\s\S]*?)\r\n\r\n/.exec(text.replace(/^HTTP\/1\.1 100[\s\S]*?\r\n\r\n/, '')) ?? [];
    const length = /content-length: (\d+)/i.exec(start ?? '')?.[1];
    if (start !== undefined && length !== undefined && text.endsWith('}')) break;
  }
  return text.replace(/^HTTP\/1\.1 100[\s\S]*?\r\n\r\n/, '');
}

const parseStatus = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);

const SURFACES = [
  ['/v1.0/sms/send', 401],
  ['/v2/send', 401],
  ['/v2/Services/VA00000000000000000000000000000000/Verifications', 401],
  ['/api/v1/messages/template', 401],
  ['/simulator/v1/inbound', 401],
  ['/graph/v26.0/15005550111/messages', 401],
  ['/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json', 401],
  ['/hooks/sign-in/none', 413],
  ['/admin/v1/session/link', 403],
  ['/callbacks/none', 404],
  ['/v2/nothing', 404],
  ['/nothing', 404],
] as const;

describe('a response before the body has arrived reaches the client', () => {
  const framings: Framing[] = ['Content-Length', 'chunked', 'Expect: 100-continue'];
  it.each(framings.flatMap((framing) => SIZES.map((size) => [framing, size] as const)))(
    'if it is 413 and the client writes everything before it reads (%s, %i bytes)',
    async (framing, size) => {
      for (let count = 0; count < 5; count++) {
        for (const path of ['/v1.0/sms/send', '/v2/send']) {
          const response = await writeThenRead({ path, headers: account.headers, body: makeBody(size), framing });
          expect(parseStatus(response)).toBe(413);
          expect(response).toContain('The request body is too large.');
          expect(response).toMatch(/\r\nconnection: close\r\n/i);
        }
      }
    },
  );

  it.each(SURFACES)('from %s with status %i, for every framing', async (path, status) => {
    for (const framing of framings) {
      for (const size of SIZES) {
        expect(parseStatus(await writeThenRead({ path, body: makeBody(size), framing })), framing).toBe(status);
      }
    }
  });

  it('if it is 415 for another media type', async () => {
    const headers = { ...account.headers, 'content-type': 'nonsense' };
    for (const path of ['/v1.0/sms/send', '/v2/send']) {
      const response = await writeThenRead({ path, headers, body: makeBody(600_000), framing: 'Content-Length' });
      expect(parseStatus(response)).toBe(415);
    }
  });

  it('if it is 403 for a disabled account', async () => {
    const disabledAccount = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: disabledAccount.id }, data: { isActive: false } });
    const request = {
      path: '/v2/send',
      headers: disabledAccount.headers,
      body: makeBody(3 * MB),
      framing: 'chunked',
    } as const;
    expect(parseStatus(await writeThenRead(request))).toBe(403);
  });

  it('if it is 429 above a rate limit', async () => {
    const limitedApp = await testApp({ sharesWith: heliograph, role: 'api', settings: { RATE_LIMIT_PER_SECOND: '1' } });
    try {
      await limitedApp.app.listen({ port: 0, host: '127.0.0.1' });
      const { port: to } = limitedApp.app.server.address() as AddressInfo;
      for (const framing of framings) {
        await withinWindow(async () => {
          const { headers } = await createTestAccount(heliograph.deps);
          const request = { path: '/v2/send', headers, body: makeBody(3 * MB), framing, to };
          const statuses = [await writeThenRead(request), await writeThenRead(request)].map(parseStatus);
          expect(statuses, framing).toEqual([413, 429]);
        });
      }
    } finally {
      await limitedApp.close();
    }
  });

  it('if it is 503 while the store is unavailable', async () => {
    const { authenticator } = heliograph.deps;
    const originalFind = authenticator.find;
    onTestFinished(() => void Object.assign(authenticator, { find: originalFind }));
    Object.assign(authenticator, {
      find: () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })),
    });
    for (const framing of framings) {
      const request = { path: '/v2/send', headers: account.headers, body: makeBody(3 * MB), framing };
      expect(parseStatus(await writeThenRead(request)), framing).toBe(503);
    }
  });

  it('if it is 417 for an unknown expectation', async () => {
    const request = { path: '/v2/send', headers: account.headers, body: makeBody(8 * MB) };
    const headersWithExpect = { ...account.headers, expect: '200-maybe' };
    expect(
      parseStatus(await writeThenRead({ ...request, headers: headersWithExpect, framing: 'Content-Length' })),
    ).toBe(417);
  });

  it('if it is 400 or 431 for invalid HTTP followed by megabytes', async () => {
    const request = { path: '/v2/send', body: makeBody(3 * MB), framing: 'Content-Length' } as const;
    expect(parseStatus(await writeThenRead({ ...request, headers: { 'bad name': 'x' } }))).toBe(400);
    expect(parseStatus(await writeThenRead({ ...request, headers: { 'x-long': 'x'.repeat(20_000) } }))).toBe(431);
  });

  it('but 100 Continue is sent only if the body will be read', async () => {
    const sendHeaders = async (authorization: string, length: number) => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(
        `POST /v2/send HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      const [data] = await once(socket, 'data');
      return parseStatus(String(data));
    };
    expect(await sendHeaders(account.headers.authorization, 100)).toBe(100);
    expect(await sendHeaders(account.headers.authorization, 8 * MB)).toBe(413);
    expect(await sendHeaders('Bearer wrong', 100)).toBe(401);
  });

  it.each(SIZES)('if it is 413 and the client is undici (%i bytes)', async (size) => {
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const body = makeBody(size);
    async function* streamBody() {
      for (let offset = 0; offset < body.length; offset += 65_536) yield body.subarray(offset, offset + 65_536);
    }
    for (let count = 0; count < 10; count++) {
      const response = await request(`http://127.0.0.1:${port}/v2/send`, {
        dispatcher: agent,
        method: 'POST',
        headers: { ...account.headers, 'content-type': 'application/json' },
        body: count % 2 === 0 ? body : Readable.from(streamBody()),
      });
      expect(response.statusCode).toBe(413);
      expect(await response.body.json()).toMatchObject({ status: 'error', code: 413 });
    }
  });

  it.each(SIZES)('if it is 413 and the client is curl (%i bytes)', async (size) => {
    const file = join(folder, `body-${size}`);
    await writeFile(file, makeBody(size));
    const url = `http://127.0.0.1:${port}/v2/send`;
    for (const curlOptions of [
      [],
      ['-H', 'Expect:'],
      ['-H', 'Transfer-Encoding: chunked'],
      ['-H', 'Expect: 100-continue'],
    ]) {
      const headers = ['-H', `Authorization: ${account.headers.authorization}`, '-H', 'Content-Type: application/json'];
      const { stdout } = await promisify(execFile)('curl', [
        ...['-sS', '-w', '%{http_code}', '--data-binary', `@${file}`, ...headers, ...curlOptions, url],
      ]);
      expect(stdout, curlOptions.join(' ')).toMatch(/too large.*413$/);
    }
  });
});

describe('data that arrives after the response is discarded within limits', () => {
  async function openRefusingServer(limits: Partial<DiscardLimits>) {
    const bodies = new UnreadBodies({
      totalMs: 60_000,
      silenceMs: 60_000,
      bytes: 1024 * MB,
      keepAliveBytes: 1000,
      ...limits,
    });
    const errors = new SocketErrors(
      () => 'id',
      () => renderPlain,
      bodies,
    );
    const app = fastify({
      http: { ServerResponse: createResponseClass(bodies) },
      clientErrorHandler: (error, socket) => errors.answer(error, socket),
    });
    await app.register(unreadBodies, { bodies });
    let requests = 0;
    app.addHook('onRequest', (_request, reply, done) => {
      requests++;
      reply.code(401);
      done(new Error('refused'));
    });
    app.post('/', () => '');
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    const socket = connect({
      port: (app.server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return { app, socket, requests: () => requests };
  }

  const requestHead = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

  async function waitUntilDestroyed({ server }: FastifyInstance, socket: Socket) {
    const countConnections = promisify(server.getConnections).bind(server);
    await waitFor('the connection to be destroyed', async () => (await countConnections()) === 0);
    socket.destroy();
  }

  it('a client that keeps sending a little is cut off after the total time', async () => {
    const { app, socket } = await openRefusingServer({ totalMs: 300 });
    socket.write(requestHead(1_000_000));
    await once(socket, 'data');
    const timer = setInterval(() => socket.write('x'), 10);
    onTestFinished(() => clearInterval(timer));
    await waitUntilDestroyed(app, socket);
  });

  it('a silent client is cut off, and so is one that never stops sending', async () => {
    const silentServer = await openRefusingServer({ silenceMs: 300 });
    silentServer.socket.write(requestHead(1_000_000));
    await waitUntilDestroyed(silentServer.app, silentServer.socket);
    const endlessServer = await openRefusingServer({ bytes: MB });
    endlessServer.socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
    const timer = setInterval(() => endlessServer.socket.write(chunk), 5);
    onTestFinished(() => clearInterval(timer));
    await waitUntilDestroyed(endlessServer.app, endlessServer.socket);
  });

  it('a client that closes after reading its response frees the connection at once', async () => {
    const { app, socket } = await openRefusingServer({});
    socket.write(requestHead(1_000_000));
    await once(socket, 'data');
    socket.end();
    await waitUntilDestroyed(app, socket);
  });

  it('a connection stays usable after a short body', async () => {
    const { socket, requests } = await openRefusingServer({});
    for (const count of [1, 2]) {
      socket.write(requestHead(500));
      const [data] = await once(socket, 'data');
      expect(String(data)).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: keep-alive/i);
      socket.write(Buffer.alloc(500));
      expect(requests()).toBe(count);
    }
  });

  it('a request after the last response of a connection is not executed', async () => {
    const { socket, requests } = await openRefusingServer({});
    socket.write(requestHead(2_000));
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/connection: close/i);
    socket.end(Buffer.concat([Buffer.alloc(2_000), Buffer.from(requestHead(0))]));
    await once(socket, 'close');
    expect(requests()).toBe(1);
  });

  it('closing the application does not wait for a connection that is being drained', async () => {
    const { app, socket } = await openRefusingServer({});
    socket.write(requestHead(1_000_000));
    await once(socket, 'data');
    await app.close();
  });
});
