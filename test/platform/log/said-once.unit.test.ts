import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { reasonOf, SaidOnce } from '../../../src/platform/log/said-once.js';

const errorWithCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('SaidOnce', () => {
  it('logs each reason once until it has not occurred for half a minute', () => {
    interface Line {
      level: number;
      msg: string;
      err: { message: string };
      times?: number;
    }
    const failures: Line[] = [];
    const counts: Line[] = [];
    const log = pino(
      { level: 'warn' },
      {
        write: (text: string) => {
          const line = JSON.parse(text) as Line;
          (line.times === undefined ? failures : counts).push(line);
        },
      },
    );
    let now = 0;
    const failureLog = new SaidOnce({ log, level: 'warn', now: () => now });
    failureLog.say(errorWithCode('53100', 'full'), 'failed', { requestId: 'a' });
    for (; now < 100_000; now += 20_000) failureLog.say(errorWithCode('53100', 'full'), 'failed');
    expect(failures).toEqual([expect.objectContaining({ requestId: 'a', msg: 'failed' })]);
    failureLog.say(errorWithCode('25006', 'read-only'), 'failed');
    for (let turn = 0; turn < 3; turn += 1) {
      failureLog.say(errorWithCode('53100', 'full'), 'failed');
      failureLog.say(errorWithCode('25006', 'read-only'), 'failed');
    }
    now += 30_000;
    failureLog.say(errorWithCode('53100', 'full'), 'failed');
    expect(failures.map(({ err }) => err.message)).toEqual(['full', 'read-only', 'full']);
    expect(counts).toMatchObject([
      { level: 40, msg: 'again: failed', reason: '53100', times: 8 },
      { level: 40, msg: 'again: failed', reason: '25006', times: 3 },
    ]);
  });

  it('identifies a reason by the innermost code, or else by its text', () => {
    expect(reasonOf(new Error('no answer', { cause: errorWithCode('ETIMEDOUT') }))).toBe('ETIMEDOUT');
    const driver = Object.assign(new Error('read-only'), { cause: { kind: 'postgres', code: '25006' } });
    expect(reasonOf(Object.assign(errorWithCode('P2039'), { meta: { driverAdapterError: driver } }))).toBe('25006');
    expect(reasonOf(new Error('no answer'))).toBe('no answer');
    expect(reasonOf(null)).toBe('null');
  });
});
