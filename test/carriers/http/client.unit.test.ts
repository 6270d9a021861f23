import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient, type HttpTry, type NoAnswer, objectIn } from '../../../src/carriers/http/client.js';
import { retryAfterMs, strangeAnswer, unanswered } from '../../../src/carriers/http/errors.js';

/** Where nobody listens. */
const NOBODYS_PORT = 1;

/** What the clients of the test told of their calls. */
let tries: HttpTry[];
beforeEach(() => {
  tries = [];
});

/** A carrier that answers as told. @returns its address */
async function carrier(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/messages`);
}

function client(timeoutMs = 30_000, answerLimit?: number): HttpClient {
  const opened = new HttpClient({
    timeoutMs,
    answerLimit,
    calls: { note: (tried) => tries.push(tried) },
    privateHosts: ['127.0.0.1'],
  });
  onTestFinished(() => opened.close());
  return opened;
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error as NoAnswer,
  );

describe('a call', () => {
  it.each([
    [{ json: { to: '15005550100' } }, 'application/json', '{"to":"15005550100"}'],
    [
      { form: { To: '+15005550100', Body: 'a&b' } },
      'application/x-www-form-urlencoded',
      'To=%2B15005550100&Body=a%26b',
    ],
    [{}, undefined, ''],
  ])('sends %j', async (content, type, sent) => {
    const asked: { headers: IncomingMessage['headers']; body: string }[] = [];
    const url = await carrier(async (request, response) => {
      asked.push({ headers: request.headers, body: await text(request) });
      response.writeHead(202, { 'retry-after': '7' }).end('{"id":"é"}');
    });
    const answer = await client().call({ method: 'POST', url, authorization: 'Basic c2VjcmV0', ...content });
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '7' } });
    expect(objectIn(answer)).toEqual({ id: 'é' });
    expect(asked).toEqual([{ headers: expect.objectContaining({ authorization: 'Basic c2VjcmV0' }), body: sent }]);
    expect(asked[0]?.headers['content-type']).toBe(type);
    expect(tries).toEqual([
      {
        call: { method: 'POST', url, authorization: 'Basic c2VjcmV0', ...content },
        ...{ content: sent || null, answer, failure: null, milliseconds: expect.any(Number) },
      },
    ]);
  });

  it('follows no redirect', async () => {
    const url = await carrier((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect((await client().call({ method: 'POST', url, json: {} })).status).toBe(307);
  });

  it.each(['[1]', 'null', '"x"', 'no JSON', ''])('finds no object in %j', (body) => {
    expect(objectIn({ text: body })).toBeNull();
  });
});

describe('a call without an answer', () => {
  it('that found nobody has not left', async () => {
    const url = new URL(`http://127.0.0.1:${NOBODYS_PORT}/`);
    const error = await failureOf(client().call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ name: 'NoAnswer', left: false, code: 'ECONNREFUSED' });
    expect(unanswered(error, 'Pagers Inc.')).toMatchObject({
      code: 'UNREACHABLE',
      message: 'Pagers Inc. cannot be reached (ECONNREFUSED).',
      retryable: true,
    });
  });

  it('whose connection was ended may have been carried out', async () => {
    const url = await carrier((request) => request.socket.destroy());
    const error = await failureOf(client().call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ left: true, code: 'UND_ERR_SOCKET' });
    expect(unanswered(error, 'Pagers Inc.').message).toMatch(
      /^Pagers Inc\. did not answer .* may have taken the message/,
    );
  });

  it.each<[string, RequestListener]>([
    ['does not begin', () => undefined],
    ['does not end', (_, response) => void response.writeHead(200).write('{"id":')],
  ])('is given up where the answer %s in time', async (_, answer) => {
    const error = await failureOf(client(1_500).call({ method: 'POST', url: await carrier(answer), json: {} }));
    expect(error).toMatchObject({ left: true, code: 'TIMEOUT' });
  });

  it('is given up where the other side takes a connection and says nothing', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const url = new URL(`https://127.0.0.1:${(silent.address() as { port: number }).port}/`);
    const error = await failureOf(client(200).call({ method: 'POST', url, json: {} }));
    expect(error).toMatchObject({ left: false });
  });

  it('is ended by the signal of its caller, and leaves nothing with one that goes on', async () => {
    const stop = new AbortController();
    const url = await carrier((request, response) => {
      if (request.method === 'GET') response.end('{}');
      else stop.abort();
    });
    await client().call({ method: 'GET', url, signal: stop.signal });
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    const error = await failureOf(client().call({ method: 'POST', url, json: {}, signal: stop.signal }));
    expect(error.left).toBe(true);
    expect(error.code).not.toBe('TIMEOUT');
  });

  it('is one whose answer is too long', async () => {
    const url = await carrier((_, response) => response.end('x'.repeat(101)));
    const error = await failureOf(client(30_000, 100).call({ method: 'GET', url }));
    expect(error).toMatchObject({ left: true, code: 'ANSWER_TOO_LONG' });
  });

  it('says nothing of what was sent', async () => {
    const url = new URL(`http://127.0.0.1:${NOBODYS_PORT}/?key=quiet-secret`);
    const call = { method: 'POST', url, authorization: 'Bearer loud-secret', json: { text: 'dear-secret' } } as const;
    const error = await failureOf(client().call(call));
    expect(inspect(error, { depth: 10 })).not.toContain('-secret');
  });

  it('is none of another kind', () => {
    expect(() => unanswered(new TypeError('a mistake of ours'), 'Pagers Inc.')).toThrow('a mistake of ours');
  });
});

describe('an answer that is not the carrier’s', () => {
  it.each([
    [200, true],
    [302, false],
    [404, false],
    [502, true],
  ])('with the status %i: the message may have been taken is %s', (status, answerLost) => {
    expect(strangeAnswer({ status }, 'Pagers Inc.')).toMatchObject({
      code: 'BAD_ANSWER',
      message: `The answer (HTTP status ${status}) is not one of Pagers Inc.'s.`,
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
    // A slip: an hour at most.
    ['60000000', 3_600_000],
    ['99999999999999999999', 3_600_000],
    ['Mon, 23 Nov 2027 12:00:00 GMT', 3_600_000],
    ['soon', null],
    [undefined, null],
  ])('%s is %s ms', (given, expected) => {
    expect(retryAfterMs({ headers: { 'retry-after': given } }, now)).toBe(expected);
  });
});
