import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { FailureLog, findReason } from '../../../src/platform/log/failure-log.js';

const errorWithCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('FailureLog', () => {
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
    const failureLog = new FailureLog({ log, level: 'warn', now: () => now });
    failureLog.report(errorWithCode('53100', 'full'), 'failed', { requestId: 'a' });
    for (; now < 100_000; now += 20_000) failureLog.report(errorWithCode('53100', 'full'), 'failed');
    expect(failures).toEqual([expect.objectContaining({ requestId: 'a', msg: 'failed' })]);
    failureLog.report(errorWithCode('25006', 'read-only'), 'failed');
    for (let turn = 0; turn < 3; turn += 1) {
      failureLog.report(errorWithCode('53100', 'full'), 'failed');
      failureLog.report(errorWithCode('25006', 'read-only'), 'failed');
    }
    now += 30_000;
    failureLog.report(errorWithCode('53100', 'full'), 'failed');
    expect(failures.map(({ err }) => err.message)).toEqual(['full', 'read-only', 'full']);
    expect(counts).toMatchObject([
      { level: 40, msg: 'again: failed', reason: '53100', times: 8 },
      { level: 40, msg: 'again: failed', reason: '25006', times: 3 },
    ]);
  });

  it('identifies a reason by the innermost code, or else by its text', () => {
    expect(findReason(new Error('no answer', { cause: errorWithCode('ETIMEDOUT') }))).toBe('ETIMEDOUT');
    const driver = Object.assign(new Error('read-only'), { cause: { kind: 'postgres', code: '25006' } });
    expect(findReason(Object.assign(errorWithCode('P2039'), { meta: { driverAdapterError: driver } }))).toBe('25006');
    expect(findReason(new Error('no answer'))).toBe('no answer');
    expect(findReason(null)).toBe('null');
  });
});
