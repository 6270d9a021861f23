import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ForkFailures, findForkFailure } from '../../../src/platform/embedded/server/fork-failures.js';
import { waitFor } from '../../support/wait-for.js';

const LINE =
  '2026-11-28 09:50:11 UTC [31] LOG:  could not fork new process for connection: Resource temporarily unavailable\n';
let folder: string;
let logFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-fork-'));
  logFile = join(folder, 'postgres.log');
  writeFileSync(logFile, LINE);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('findForkFailure finds a failure after an offset, or in a rotated log', async () => {
  const { failure, size } = await findForkFailure(logFile, 0);
  expect(failure).toBe('could not fork new process for connection: Resource temporarily unavailable');
  expect(await findForkFailure(logFile, size)).toEqual({ failure: null, size });
  expect(await findForkFailure(logFile, size + 1)).toEqual({ failure, size });
});

it('ForkFailures reports a failure of the current run once a minute, with advice', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const failures = new ForkFailures({ logFile, log });
  const logError = vi.spyOn(log, 'error');
  /** Waits until each read of the log has ended before the next read starts. */
  const readLog = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      vi.advanceTimersByTime(2_000);
      await waitFor('the read to end', () => !failures.isReading);
    }
  };
  await readLog(1);
  expect(lines).toEqual([]);
  appendFileSync(logFile, LINE.repeat(3));
  await readLog(1);
  expect(lines).toMatchObject([
    { level: 50, msg: expect.stringMatching(/could not fork new process[\s\S]*this user has reached its limit/) },
  ]);
  appendFileSync(logFile, LINE);
  await readLog(2);
  expect(logError).toHaveBeenCalledTimes(1);
  await readLog(30);
  appendFileSync(logFile, LINE);
  await readLog(1);
  expect(logError).toHaveBeenCalledTimes(2);
  failures.stop();
});
