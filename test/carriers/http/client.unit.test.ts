import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  HttpClient,
  type HttpExchange,
  type NoResponseError,
  parseJsonObject,
} from '../../../src/carriers/http/client.js';
import { createFormatError, readRetryAfterMs, toCarrierError } from '../../../src/carriers/http/errors.js';

const NOBODYS_PORT = 1;

let tries: HttpExchange[];
beforeEach(() => {
  tries = [];
});

async function startServer(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/messages`);
}

function createClient(timeoutMs = 30_000, answerLimit?: number): HttpClient {
  const httpClient = new HttpClient({
    timeoutMs,
    answerLimit,
    calls: { record: (exchange) => tries.push(exchange) },
    privateHosts: ['127.0.0.1'],
  });
  onTestFinished(() => httpClient.close());
  return httpClient;
}

const captureRejection = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error as NoResponseError,
  );

describe('an HTTP call', () => {
  it.each([
    [{ json: { to: '15005550100' } }, 'application/json', '{"to":"15005550100"}'],
    [
      { form: { To: '+15005550100', Body: 'a&b' } },
      'application/x-www-form-urlencoded',
      'To=%2B15005550100&Body=a%26b',
    ],
    [{}, undefined, ''],
  ])('an HTTP call sends %j', async (content, type, sentBody) => {
    const requests: { headers: IncomingMessage['headers']; body: string }[] = [];
    const url = await startServer(async (request, response) => {
      requests.push({ headers: request.headers, body: await text(request) });
      response.writeHead(202, { 'retry-after': '7' }).end('{"id":"é"}');
    });
    const result = await createClient().call({ method: 'POST', url, authorization: 'Basic c2VjcmV0', ...content });
    expect(result).toMatchObject({ status: 202, headers: { 'retry-after': '7' } });
    expect(parseJsonObject(result)).toEqual({ id: 'é' });
    expect(requests).toEqual([
      { headers: expect.objectContaining({ authorization: 'Basic c2VjcmV0' }), body: sentBody },
    ]);
    expect(requests[0]?.headers['content-type']).toBe(type);
    expect(tries).toEqual([
      {
        call: { method: 'POST', url, authorization: 'Basic c2VjcmV0', ...content },
        ...{ content: sentBody || null, answer: result, failure: null, milliseconds: expect.any(Number) },
      },
    ]);
  });

  it('an HTTP call follows no redirects', async () => {
    const url = await startServer((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect((await createClient().call({ method: 'POST', url, json: {} })).status).toBe(307);
  });

  it.each(['[1]', 'null', '"x"', 'no JSON', ''])('an HTTP call yields no object for the response %j', (body) => {
    expect(parseJsonObject({ text: body })).toBeNull();
  });
});

describe('a failed HTTP call', () => {
  it('a failed HTTP call has sent nothing if no connection was made', async () => {
    const url = new URL(`http://127.0.0.1:${NOBODYS_PORT}/`);
    const error = await captureRejection(createClient().call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ name: 'NoResponseError', mayHaveArrived: false, code: 'ECONNREFUSED' });
    expect(toCarrierError(error, 'Pagers Inc.')).toMatchObject({
      code: 'UNREACHABLE',
      message: 'Pagers Inc. cannot be reached (ECONNREFUSED).',
      retryable: true,
    });
  });

  it('a failed HTTP call may have been carried out if the connection broke', async () => {
    const url = await startServer((request) => request.socket.destroy());
    const error = await captureRejection(createClient().call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ mayHaveArrived: true, code: 'UND_ERR_SOCKET' });
    expect(toCarrierError(error, 'Pagers Inc.').message).toMatch(
      /^Pagers Inc\. did not answer .* may have accepted the message/,
    );
  });

  it.each<[string, RequestListener]>([
    ['start', () => undefined],
    ['end', (_, response) => void response.writeHead(200).write('{"id":')],
  ])('an HTTP call times out if the response does not %s in time', async (_, answer) => {
    const error = await captureRejection(
      createClient(1_500).call({ method: 'POST', url: await startServer(answer), json: {} }),
    );
    expect(error).toMatchObject({ mayHaveArrived: true, code: 'TIMEOUT' });
  });

  it('an HTTP call times out if the server accepts the connection but never responds', async () => {
    const silentServer = createTcpServer().listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    onTestFinished(() => void silentServer.close());
    const url = new URL(`https://127.0.0.1:${(silentServer.address() as { port: number }).port}/`);
    const error = await captureRejection(createClient(200).call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ mayHaveArrived: false });
  });

  it('an HTTP call is aborted by its signal, and leaves no listener on the signal after success', async () => {
    const controller = new AbortController();
    const url = await startServer((request, response) => {
      if (request.method === 'GET') response.end('{}');
      else controller.abort();
    });
    await createClient().call({ method: 'GET', url, signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const error = await captureRejection(
      createClient().call({ method: 'POST', url, json: {}, signal: controller.signal }),
    );
    expect(error.mayHaveArrived).toBe(true);
    expect(error.code).not.toBe('TIMEOUT');
  });

  it('an HTTP call fails if the response is too long', async () => {
    const url = await startServer((_, response) => response.end('x'.repeat(101)));
    const error = await captureRejection(createClient(30_000, 100).call({ method: 'GET', url }));
    expect(error).toMatchObject({ mayHaveArrived: true, code: 'ANSWER_TOO_LONG' });
  });

  it('a failed HTTP call does not reveal the request in its error', async () => {
    const url = new URL(`http://127.0.0.1:${NOBODYS_PORT}/?key=quiet-secret`);
    const call = { method: 'POST', url, authorization: 'Bearer loud-secret', json: { text: 'dear-secret' } } as const;
    const error = await captureRejection(createClient().call(call));
    expect(inspect(error, { depth: 10 })).not.toContain('-secret');
  });

  it('an HTTP call does not hide programming errors', () => {
    expect(() => toCarrierError(new TypeError('a mistake of ours'), 'Pagers Inc.')).toThrow('a mistake of ours');
  });
});

describe('a response in an unknown format', () => {
  it.each([
    [200, true],
    [302, false],
    [404, false],
    [502, true],
  ])('a response in an unknown format with status %i: the message may have been accepted: %s', (status, answerLost) => {
    expect(createFormatError({ status }, 'Pagers Inc.')).toMatchObject({
      code: 'BAD_ANSWER',
      message: `The response (HTTP status ${status}) is not in Pagers Inc.'s format.`,
      retryable: true,
      answerLost,
    });
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  it.each([
    ['120', 120_000],
    ['Mon, 23 Nov 2026 12:00:30 GMT', 30_000],
    ['Mon, 23 Nov 2026 11:00:00 GMT', 0],
    // A Retry-After value above one hour must be a mistake, so the delay is limited to one hour.
    ['60000000', 3_600_000],
    ['99999999999999999999', 3_600_000],
    ['Mon, 23 Nov 2027 12:00:00 GMT', 3_600_000],
    ['soon', null],
    [undefined, null],
  ])('the Retry-After value %s means %s ms', (value, expected) => {
    expect(readRetryAfterMs({ headers: { 'retry-after': value } }, now)).toBe(expected);
  });
});
