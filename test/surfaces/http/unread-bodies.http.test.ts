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

const bodyOfSize = (bytes: number) => Buffer.from(`{"message":"${'x'.repeat(bytes - 14)}"}`);

type Framing = 'Content-Length' | 'chunked' | 'Expect: 100-continue';

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body: Buffer;
  framing: Framing;
  to?: number;
}

/** Writes the whole request before reading, like simple clients. @returns the response */
async function writeThenRead({ path, method = 'POST', headers = {}, body, framing, to = port }: Sent): Promise<string> {
  const socket = connect(to, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const framed = framing === 'chunked' ? ['Transfer-Encoding: chunked'] : [`Content-Length: ${body.length}`];
  if (framing.startsWith('Expect')) framed.push(framing);
  const given = Object.entries({ 'content-type': 'application/json', ...headers });
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...framed,
    ...given.map(([name, value]) => `${name}: ${value}`),
  ];
  const chunked = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
  const pieces = [`${head.join('\r\n')}\r\n\r\n`, ...(framing === 'chunked' ? chunked : [body])];
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

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);

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

describe('a response sent before the body has arrived reaches the client', () => {
  const framings: Framing[] = ['Content-Length', 'chunked', 'Expect: 100-continue'];
  it.each(framings.flatMap((framing) => SIZES.map((size) => [framing, size] as const)))(
    '413 to a client that writes all before it reads (%s, %i bytes)',
    async (framing, size) => {
      for (let count = 0; count < 5; count++) {
        for (const path of ['/v1.0/sms/send', '/v2/send']) {
          const response = await writeThenRead({ path, headers: account.headers, body: bodyOfSize(size), framing });
          expect(statusOf(response)).toBe(413);
          expect(response).toContain('The request body is too large.');
          expect(response).toMatch(/\r\nconnection: close\r\n/i);
        }
      }
    },
  );

  it.each(SURFACES)('%s: %i, whatever the framing', async (path, status) => {
    for (const framing of framings) {
      for (const size of SIZES) {
        expect(statusOf(await writeThenRead({ path, body: bodyOfSize(size), framing })), framing).toBe(status);
      }
    }
  });

  it('415 for another media type', async () => {
    const headers = { ...account.headers, 'content-type': 'nonsense' };
    for (const path of ['/v1.0/sms/send', '/v2/send']) {
      const response = await writeThenRead({ path, headers, body: bodyOfSize(600_000), framing: 'Content-Length' });
      expect(statusOf(response)).toBe(415);
    }
  });

  it('403 for a disabled account', async () => {
    const disabled = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: disabled.id }, data: { isActive: false } });
    const sent = { path: '/v2/send', headers: disabled.headers, body: bodyOfSize(3 * MB), framing: 'chunked' } as const;
    expect(statusOf(await writeThenRead(sent))).toBe(403);
  });

  it('429 over a rate limit', async () => {
    const limited = await testApp({ sharesWith: heliograph, role: 'api', settings: { RATE_LIMIT_PER_SECOND: '1' } });
    try {
      await limited.app.listen({ port: 0, host: '127.0.0.1' });
      const { port: to } = limited.app.server.address() as AddressInfo;
      for (const framing of framings) {
        await withinWindow(async () => {
          const { headers } = await createTestAccount(heliograph.deps);
          const sent = { path: '/v2/send', headers, body: bodyOfSize(3 * MB), framing, to };
          const statuses = [await writeThenRead(sent), await writeThenRead(sent)].map(statusOf);
          expect(statuses, framing).toEqual([413, 429]);
        });
      }
    } finally {
      await limited.close();
    }
  });

  it('503 where the store is away', async () => {
    const { authenticator } = heliograph.deps;
    const find = authenticator.find;
    onTestFinished(() => void Object.assign(authenticator, { find }));
    Object.assign(authenticator, {
      find: () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })),
    });
    for (const framing of framings) {
      const sent = { path: '/v2/send', headers: account.headers, body: bodyOfSize(3 * MB), framing };
      expect(statusOf(await writeThenRead(sent)), framing).toBe(503);
    }
  });

  it('417 for an unknown expectation', async () => {
    const sent = { path: '/v2/send', headers: account.headers, body: bodyOfSize(8 * MB) };
    const expects = { ...account.headers, expect: '200-maybe' };
    expect(statusOf(await writeThenRead({ ...sent, headers: expects, framing: 'Content-Length' }))).toBe(417);
  });

  it('400 and 431 for a request that is not HTTP, followed by megabytes', async () => {
    const sent = { path: '/v2/send', body: bodyOfSize(3 * MB), framing: 'Content-Length' } as const;
    expect(statusOf(await writeThenRead({ ...sent, headers: { 'bad name': 'x' } }))).toBe(400);
    expect(statusOf(await writeThenRead({ ...sent, headers: { 'x-long': 'x'.repeat(20_000) } }))).toBe(431);
  });

  it('a client that waits for 100 Continue gets it only if its body will be read', async () => {
    const ask = async (authorization: string, length: number) => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(
        `POST /v2/send HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      const [data] = await once(socket, 'data');
      return statusOf(String(data));
    };
    expect(await ask(account.headers.authorization, 100)).toBe(100);
    expect(await ask(account.headers.authorization, 8 * MB)).toBe(413);
    expect(await ask('Bearer wrong', 100)).toBe(401);
  });

  it.each(SIZES)('413 to undici (%i bytes)', async (size) => {
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const body = bodyOfSize(size);
    async function* pieces() {
      for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
    }
    for (let count = 0; count < 10; count++) {
      const response = await request(`http://127.0.0.1:${port}/v2/send`, {
        dispatcher: agent,
        method: 'POST',
        headers: { ...account.headers, 'content-type': 'application/json' },
        body: count % 2 === 0 ? body : Readable.from(pieces()),
      });
      expect(response.statusCode).toBe(413);
      expect(await response.body.json()).toMatchObject({ status: 'error', code: 413 });
    }
  });

  it.each(SIZES)('413 to curl (%i bytes)', async (size) => {
    const file = join(folder, `body-${size}`);
    await writeFile(file, bodyOfSize(size));
    const url = `http://127.0.0.1:${port}/v2/send`;
    for (const more of [[], ['-H', 'Expect:'], ['-H', 'Transfer-Encoding: chunked'], ['-H', 'Expect: 100-continue']]) {
      const headers = ['-H', `Authorization: ${account.headers.authorization}`, '-H', 'Content-Type: application/json'];
      const { stdout } = await promisify(execFile)('curl', [
        ...['-sS', '-w', '%{http_code}', '--data-binary', `@${file}`, ...headers, ...more, url],
      ]);
      expect(stdout, more.join(' ')).toMatch(/too large.*413$/);
    }
  });
});

describe('data that arrives after the response is discarded within limits', () => {
  async function refusing(limits: Partial<DiscardLimits>) {
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

  const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

  async function untilDestroyed({ server }: FastifyInstance, socket: Socket) {
    const open = promisify(server.getConnections).bind(server);
    await waitFor('the connection to be destroyed', async () => (await open()) === 0);
    socket.destroy();
  }

  it('a client that keeps sending a little is cut off after the total time', async () => {
    const { app, socket } = await refusing({ totalMs: 300 });
    socket.write(head(1_000_000));
    await once(socket, 'data');
    const trickle = setInterval(() => socket.write('x'), 10);
    onTestFinished(() => clearInterval(trickle));
    await untilDestroyed(app, socket);
  });

  it('a silent client is cut off, and so is one that never stops sending', async () => {
    const silent = await refusing({ silenceMs: 300 });
    silent.socket.write(head(1_000_000));
    await untilDestroyed(silent.app, silent.socket);
    const endless = await refusing({ bytes: MB });
    endless.socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
    const send = setInterval(() => endless.socket.write(chunk), 5);
    onTestFinished(() => clearInterval(send));
    await untilDestroyed(endless.app, endless.socket);
  });

  it('a client that closes after reading its response frees the connection at once', async () => {
    const { app, socket } = await refusing({});
    socket.write(head(1_000_000));
    await once(socket, 'data');
    socket.end();
    await untilDestroyed(app, socket);
  });

  it('a short body leaves the connection usable', async () => {
    const { socket, requests } = await refusing({});
    for (const count of [1, 2]) {
      socket.write(head(500));
      const [data] = await once(socket, 'data');
      expect(String(data)).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: keep-alive/i);
      socket.write(Buffer.alloc(500));
      expect(requests()).toBe(count);
    }
  });

  it('a request after the last response of a connection is not executed', async () => {
    const { socket, requests } = await refusing({});
    socket.write(head(2_000));
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/connection: close/i);
    socket.end(Buffer.concat([Buffer.alloc(2_000), Buffer.from(head(0))]));
    await once(socket, 'close');
    expect(requests()).toBe(1);
  });

  it('closing the application does not wait for such a connection', async () => {
    const { app, socket } = await refusing({});
    socket.write(head(1_000_000));
    await once(socket, 'data');
    await app.close();
  });
});
