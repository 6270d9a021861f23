import { Socket } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createQuietOptions } from '../../../src/platform/log/quiet-logging.js';

function openLog(level: 'warn' | 'debug' = 'warn') {
  const lines: string[] = [];
  return {
    lines,
    log: pino({ ...createQuietOptions(), level, base: null }, { write: (line: string) => void lines.push(line) }),
  };
}

function logAndParse(fields: object): Record<string, unknown> & { text: string } {
  const { lines, log } = openLog();
  log.warn(fields, 'it failed');
  expect(lines).toHaveLength(1);
  return { ...(JSON.parse(lines[0] as string) as Record<string, unknown>), text: lines[0] as string };
}

describe('a logged error', () => {
  it('excludes the client that pg attaches', () => {
    const client = new pg.Client({ connectionString: 'postgresql://me:hidden-password@localhost:1/x' });
    const error = Object.assign(new Error('terminating connection'), {
      client,
      code: '57P01',
      severity: 'FATAL',
      detail: 'Failing row contains (hidden)',
      where: 'hidden',
      internalQuery: 'hidden',
      secretKey: 1234567,
    });
    const { err, text } = logAndParse({ err: error });
    expect(err).toEqual({
      type: 'Error',
      message: 'terminating connection',
      stack: error.stack,
      code: '57P01',
      severity: 'FATAL',
    });
    expect(text).not.toMatch(/hidden|secretKey|1234567/);
  });

  it('of ioredis contains the command name without its arguments', () => {
    const error = Object.assign(new Error('WRONGTYPE'), { command: { name: 'set', args: ['key', 'hidden'] } });
    const redis = new Redis({ lazyConnect: true, password: 'hidden' });
    const { err, text } = logAndParse({ err: Object.assign(error, { redis }) });
    expect(err).toMatchObject({ message: 'WRONGTYPE', command: 'set' });
    expect(text).not.toContain('hidden');
  });

  it('of an HTTP client excludes request, headers and socket, as do its causes', () => {
    const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET', socket: new Socket() });
    const error = Object.assign(new TypeError('fetch failed', { cause }), {
      config: { headers: { authorization: 'Bearer hidden' } },
      request: { socket: new Socket(), _header: 'hidden' },
      response: { data: 'hidden', status: 500 },
    });
    const { err, text } = logAndParse({ err: error });
    expect(err).toEqual({
      type: 'TypeError',
      message: 'fetch failed',
      stack: error.stack,
      cause: { type: 'Error', message: 'other side closed', stack: cause.stack, code: 'UND_ERR_SOCKET' },
    });
    expect(text).not.toMatch(/hidden|_events/);
  });

  it("of Prisma contains the driver's error, and one for several addresses contains each", () => {
    const driverAdapterError = Object.assign(new Error('DriverAdapterError'), {
      cause: { kind: 'postgres', originalCode: '23514', originalMessage: 'violates check', detail: 'hidden' },
    });
    const prismaError = Object.assign(new Error('Invalid invocation'), { code: 'P2010', meta: { driverAdapterError } });
    const aggregate = new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })], 'no address');
    expect(logAndParse({ err: prismaError }).err).toMatchObject({
      code: 'P2010',
      cause: { cause: { kind: 'postgres', originalCode: '23514', message: 'violates check' } },
    });
    expect(logAndParse({ err: aggregate }).err).toMatchObject({
      errors: [{ message: 'refused', code: 'ECONNREFUSED' }],
    });
  });

  it('excludes credentials in URLs and is cut if it is long or circular', () => {
    const circle = Object.assign(new Error(`GET https://user:hidden@example.com/ failed ${'x'.repeat(5_000)}`), {
      cause: undefined as unknown,
    });
    circle.cause = circle;
    const { text } = logAndParse({ err: circle });
    expect(text).toContain('https://[redacted]@example.com/');
    expect(text).not.toContain('hidden');
    expect(text.length).toBeLessThan(60_000);
  });
});

it('a log line excludes class instances and fields named like a secret at any depth', () => {
  const { text, ...line } = logAndParse({
    socket: new Socket(),
    failure: Object.assign(new Error('lost'), { socket: new Socket() }),
    options: { url: 'postgresql://me:hidden@host/x', password: 'hidden', access_token: { value: 'hidden' }, tries: 3 },
    clientSecret: 'hidden',
    tokens: 2,
    at: new Date(0),
  });
  expect(text).not.toContain('hidden');
  expect(line).toMatchObject({
    socket: '[Socket]',
    failure: { type: 'Error', message: 'lost' },
    options: { url: 'postgresql://[redacted]@host/x', password: '[redacted]', access_token: '[redacted]', tries: 3 },
    clientSecret: '[redacted]',
    tokens: 2,
    at: '1970-01-01T00:00:00.000Z',
  });
});

describe('a repeated fault', () => {
  const createFault = () => ({ err: Object.assign(new Error('away'), { code: 'ECONNREFUSED' }), messages: 3 });

  it('is logged once for each text, reason and carrier', () => {
    const { lines, log } = openLog();
    for (let turn = 0; turn < 5; turn++) {
      log.warn(createFault(), 'statuses wait for the store');
      log.warn(createFault(), 'a job failed');
      log.child({ carrier: 'a' }).warn(createFault(), 'a job failed');
      log.warn({ err: new Error('another') }, 'a job failed');
    }
    expect(lines).toHaveLength(4);
  });

  it('contains a stack only in the first line with its code, or in each line without a code', () => {
    const { lines, log } = openLog();
    const createLoss = () => ({ err: new Error('lost', { cause: createFault().err }) });
    log.warn(createLoss(), 'statuses wait for the store');
    log.error({ ...createLoss(), runs: 3 }, 'automations could not be looked for');
    log.child({ carrier: 'a' }).warn(createLoss(), 'it is not reached');
    for (const message of ['this failed', 'that failed']) log.error({ err: new Error('odd') }, message);
    const logged = lines.map((line) => JSON.parse(line) as { runs?: number; err: { stack?: string; cause?: object } });
    expect(logged.map(({ err }) => err.stack !== undefined)).toEqual([true, false, true, true, true]);
    expect(logged[1]).toMatchObject({ runs: 3, err: { message: 'lost', cause: { code: 'ECONNREFUSED' } } });
    expect(logged[1]?.err.cause).not.toHaveProperty('stack');
  });

  it('is always logged at the level debug and for a request', () => {
    const debug = openLog('debug');
    for (let turn = 0; turn < 3; turn++) debug.log.error(createFault(), 'a job failed');
    expect(debug.lines.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([50, 20, 20]);
    const { lines, log } = openLog();
    for (const requestId of ['a', 'b']) log.error({ ...createFault(), requestId }, 'request failed');
    expect(lines).toHaveLength(2);
    for (const messageId of ['a', 'b']) log.error({ ...createFault(), requestId: 'c', messageId }, 'a carrier failed');
    expect(lines).toHaveLength(3);
  });
});
