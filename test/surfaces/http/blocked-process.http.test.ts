import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { SMS } from '../a/requests.js';

/** Durations that exceed the timeouts for headers and for a whole request. */
const BEYOND_HEADERS_TIMEOUT_MS = 3_600;
const BEYOND_REQUEST_TIMEOUT_MS = 5_600;

const heliograph = suiteApp({ role: 'api' });
let account: TestAccount;
beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
});

function makeSend(): [head: string, body: string] {
  const body = JSON.stringify(SMS);
  const headerLines = [
    'POST /v2/send HTTP/1.1',
    'Host: x',
    `Authorization: ${account.headers.authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return [`${headerLines.join('\r\n')}\r\n\r\n`, body];
}

async function openConnection(): Promise<Socket> {
  const { server } = heliograph.app;
  const connectionAccepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await Promise.all([connectionAccepted, once(socket, 'connect')]);
  return socket;
}

/** Blocks the whole process, which runs both the server and the client. */
function blockProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function readStatus(socket: Socket): Promise<string | undefined> {
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  while (!text.includes('\r\n\r\n') && !socket.closed)
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
}

describe('a request that arrived in time but was read late because the process was blocked', () => {
  it('is processed if it arrived completely on a new connection', async () => {
    const socket = await openConnection();
    // When `write` returns, the data is in the operating system's buffers.
    socket.write(makeSend().join(''));
    blockProcess(BEYOND_HEADERS_TIMEOUT_MS);
    expect(await readStatus(socket)).toBe('200');
  });

  it('is processed if its body had arrived, even with another request after it', async () => {
    const socket = await openConnection();
    const [head, body] = makeSend();
    const requestStarted = once(heliograph.app.server, 'request');
    socket.write(head);
    await requestStarted;
    socket.write(body);
    blockProcess(BEYOND_REQUEST_TIMEOUT_MS);
    expect(await readStatus(socket)).toBe('200');
    socket.write(makeSend().join(''));
    expect(await readStatus(socket)).toBe('200');
  });

  it('is processed if its end arrives once the process continues', async () => {
    const socket = await openConnection();
    const [head, body] = makeSend();
    socket.write(head.slice(0, 30));
    blockProcess(BEYOND_HEADERS_TIMEOUT_MS);
    setImmediate(() => socket.write(head.slice(30) + body));
    expect(await readStatus(socket)).toBe('200');
  });

  it('gets 408 if its end does not arrive', async () => {
    const socket = await openConnection();
    socket.write(makeSend()[0].slice(0, 30));
    blockProcess(BEYOND_HEADERS_TIMEOUT_MS);
    expect(await readStatus(socket)).toBe('408');
  });
});
