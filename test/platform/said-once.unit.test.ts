import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { reasonOf, SaidOnce } from '../../src/platform/said-once.js';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('SaidOnce', () => {
  it('tells a reason once, until another comes or it has not come for half a minute', () => {
    const lines: { level: number; err: { message: string }; requestId?: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    let now = 0;
    const once = new SaidOnce({ log, level: 'warn', now: () => now });
    once.say(coded('53100', 'full'), 'failed', { requestId: 'a' });
    for (; now < 100_000; now += 20_000) once.say(coded('53100', 'full'), 'failed');
    expect(lines).toEqual([expect.objectContaining({ requestId: 'a', msg: 'failed' })]);
    once.say(coded('25006', 'read-only'), 'failed');
    once.say(coded('53100', 'full'), 'failed');
    now += 30_000;
    once.say(coded('53100', 'full'), 'failed');
    expect(lines.map(({ err }) => err.message)).toEqual(['full', 'read-only', 'full', 'full']);
  });

  it('knows a reason by the code at the bottom, else by its text', () => {
    expect(reasonOf(new Error('no answer', { cause: coded('ETIMEDOUT') }))).toBe('ETIMEDOUT');
    expect(reasonOf(new Error('no answer'))).toBe('no answer');
    expect(reasonOf(null)).toBe('null');
  });
});
