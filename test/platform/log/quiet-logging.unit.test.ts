import { Socket } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { quietLogging } from '../../../src/platform/log/quiet-logging.js';

function openLog(level: 'warn' | 'debug' = 'warn') {
  const lines: string[] = [];
  return {
    lines,
    log: pino({ ...quietLogging(), level, base: null }, { write: (line: string) => void lines.push(line) }),
  };
}

/** The fields of the one line that a log holds for these. */
function lineOf(fields: object): Record<string, unknown> & { text: string } {
  const { lines, log } = openLog();
  log.warn(fields, 'it failed');
  expect(lines).toHaveLength(1);
  return { ...(JSON.parse(lines[0] as string) as Record<string, unknown>), text: lines[0] as string };
}

describe('an error in the log', () => {
  it('is not told with the client that pg hangs on it', () => {
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
    const { err, text } = lineOf({ err: error });
    expect(err).toEqual({
      type: 'Error',
      message: 'terminating connection',
      stack: error.stack,
      code: '57P01',
      severity: 'FATAL',
    });
    expect(text).not.toMatch(/hidden|secretKey|1234567/);
  });

  it('of ioredis names its command, without the arguments', () => {
    const error = Object.assign(new Error('WRONGTYPE'), { command: { name: 'set', args: ['key', 'hidden'] } });
    const redis = new Redis({ lazyConnect: true, password: 'hidden' });
    const { err, text } = lineOf({ err: Object.assign(error, { redis }) });
    expect(err).toMatchObject({ message: 'WRONGTYPE', command: 'set' });
    expect(text).not.toContain('hidden');
  });

  it('of an HTTP client is told without request, headers and socket, its causes too', () => {
    const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET', socket: new Socket() });
    const error = Object.assign(new TypeError('fetch failed', { cause }), {
      config: { headers: { authorization: 'Bearer hidden' } },
      request: { socket: new Socket(), _header: 'hidden' },
      response: { data: 'hidden', status: 500 },
    });
    const { err, text } = lineOf({ err: error });
    expect(err).toEqual({
      type: 'TypeError',
      message: 'fetch failed',
      stack: error.stack,
      cause: { type: 'Error', message: 'other side closed', stack: cause.stack, code: 'UND_ERR_SOCKET' },
    });
    expect(text).not.toMatch(/hidden|_events/);
  });

  it('of Prisma tells what the driver said; one of several addresses tells each', () => {
    const driverAdapterError = Object.assign(new Error('DriverAdapterError'), {
      cause: { kind: 'postgres', originalCode: '23514', originalMessage: 'violates check', detail: 'hidden' },
    });
    const known = Object.assign(new Error('Invalid invocation'), { code: 'P2010', meta: { driverAdapterError } });
    const several = new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })], 'no address');
    expect(lineOf({ err: known }).err).toMatchObject({
      code: 'P2010',
      cause: { cause: { kind: 'postgres', originalCode: '23514', message: 'violates check' } },
    });
    expect(lineOf({ err: several }).err).toMatchObject({ errors: [{ message: 'refused', code: 'ECONNREFUSED' }] });
  });

  it('is told without the credentials in a URL, and cut where it is long or goes round in circles', () => {
    const circle = Object.assign(new Error(`GET https://user:hidden@example.com/ failed ${'x'.repeat(5_000)}`), {
      cause: undefined as unknown,
    });
    circle.cause = circle;
    const { text } = lineOf({ err: circle });
    expect(text).toContain('https://[redacted]@example.com/');
    expect(text).not.toContain('hidden');
    expect(text.length).toBeLessThan(60_000);
  });
});

it('tells no object of a class and nothing that is named like a secret, however deep and under whichever name', () => {
  const { text, ...line } = lineOf({
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

describe('a fault that comes again and again', () => {
  const away = () => ({ err: Object.assign(new Error('away'), { code: 'ECONNREFUSED' }), messages: 3 });

  it('is one line for each text, reason and carrier', () => {
    const { lines, log } = openLog();
    for (let turn = 0; turn < 5; turn++) {
      log.warn(away(), 'statuses wait for the store');
      log.warn(away(), 'a job failed');
      log.child({ carrier: 'a' }).warn(away(), 'a job failed');
      log.warn({ err: new Error('another') }, 'a job failed');
    }
    expect(lines).toHaveLength(4);
  });

  it('has its stack in the first of the lines that tell of one code; without a code, in each', () => {
    const { lines, log } = openLog();
    const lost = () => ({ err: new Error('lost', { cause: away().err }) });
    log.warn(lost(), 'statuses wait for the store');
    log.error({ ...lost(), runs: 3 }, 'automations could not be looked for');
    log.child({ carrier: 'a' }).warn(lost(), 'it is not reached');
    for (const message of ['this failed', 'that failed']) log.error({ err: new Error('odd') }, message);
    const told = lines.map((line) => JSON.parse(line) as { runs?: number; err: { stack?: string; cause?: object } });
    expect(told.map(({ err }) => err.stack !== undefined)).toEqual([true, false, true, true, true]);
    expect(told[1]).toMatchObject({ runs: 3, err: { message: 'lost', cause: { code: 'ECONNREFUSED' } } });
    expect(told[1]?.err.cause).not.toHaveProperty('stack');
  });

  it('is told whole at the level debug, and where a request is named', () => {
    const debug = openLog('debug');
    for (let turn = 0; turn < 3; turn++) debug.log.error(away(), 'a job failed');
    expect(debug.lines.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([50, 20, 20]);
    const { lines, log } = openLog();
    for (const requestId of ['a', 'b']) log.error({ ...away(), requestId }, 'request failed');
    expect(lines).toHaveLength(2);
    for (const messageId of ['a', 'b']) log.error({ ...away(), requestId: 'c', messageId }, 'a carrier failed');
    expect(lines).toHaveLength(3);
  });
});
