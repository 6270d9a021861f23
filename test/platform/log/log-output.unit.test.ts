import { expect, it, vi } from 'vitest';
import { LogOutput } from '../../../src/platform/log/log-output.js';
import { createLogger } from '../../../src/process/logger.js';

function createOutput() {
  const state = { written: '', room: Number.POSITIVE_INFINITY, code: 'ENOSPC' };
  const output = new LogOutput({
    write: (bytes) => {
      const accepted = bytes.subarray(0, state.room);
      if (accepted.length === 0) {
        throw Object.assign(new Error(`${state.code}: cannot write`), { code: state.code });
      }
      state.written += accepted.toString();
      state.room -= accepted.length;
      return accepted.length;
    },
  });
  return { state, output };
}

const createLog = (output: LogOutput) => createLogger({ logLevel: 'info', logFormat: 'json' }, output);
const parseLines = (written: string) =>
  written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; lostLines?: number });

it('LogOutput counts lines lost on a full disk and reports them once there is space again', () => {
  const { state, output } = createOutput();
  const log = createLog(output);
  log.info('before');
  state.room = 0;
  for (let line = 0; line < 3; line++) log.info('lost');
  expect(output.lostTotal).toBe(3);
  state.room = Number.POSITIVE_INFINITY;
  log.info('after');
  log.info('later');
  expect(parseLines(state.written).map(({ msg }) => msg)).toEqual([
    'before',
    'Log lines were lost, because the log could not be written: ENOSPC: cannot write',
    'after',
    'later',
  ]);
  expect(parseLines(state.written)[1]?.lostLines).toBe(3);
  expect(output.lostTotal).toBe(3);
});

it('LogOutput starts a new line after one that was cut off', () => {
  const { state, output } = createOutput();
  const log = createLog(output);
  state.room = 10;
  log.info('cut off');
  expect(output.lostTotal).toBe(1);
  state.room = Number.POSITIVE_INFINITY;
  log.info('whole');
  const [, ...lines] = state.written.trim().split('\n');
  expect(parseLines(lines.join('\n')).map(({ lostLines }) => lostLines)).toEqual([1, undefined]);
});

it('LogOutput reports lost lines even if nothing else is logged', () => {
  vi.useFakeTimers();
  try {
    const { state, output } = createOutput();
    state.room = 0;
    createLog(output).info('lost');
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(5_000);
    vi.advanceTimersByTime(60_000);
    expect(parseLines(state.written).map(({ lostLines }) => lostLines)).toEqual([1]);
  } finally {
    vi.useRealTimers();
  }
});

it('LogOutput queues lines for a slow reader of a pipe without blocking', () => {
  vi.useFakeTimers();
  try {
    const { state, output } = createOutput();
    const log = createLog(output);
    Object.assign(state, { room: 25, code: 'EAGAIN' });
    for (const text of ['one', 'two', 'three']) log.info(text);
    expect(output.lostTotal).toBe(0);
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(100);
    expect(parseLines(state.written).map(({ msg }) => msg)).toEqual(['one', 'two', 'three']);
  } finally {
    vi.useRealTimers();
  }
});

it('LogOutput drops lines when the reader of a pipe is stuck', () => {
  vi.useFakeTimers();
  try {
    const { state, output } = createOutput();
    const log = createLog(output);
    Object.assign(state, { room: 0, code: 'EAGAIN' });
    for (let line = 0; line < 70; line++) log.info('x'.repeat(100_000));
    expect(output.lostTotal).toBeGreaterThan(20);
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(100);
    log.info('after');
    const reports = parseLines(state.written).filter(({ lostLines }) => lostLines !== undefined);
    expect(reports.map(({ lostLines }) => lostLines)).toEqual([output.lostTotal]);
  } finally {
    vi.useRealTimers();
  }
});
