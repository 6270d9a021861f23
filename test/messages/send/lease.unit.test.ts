import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Lease } from '../../../src/messages/send/lease.js';

const options = { pool: {} as pg.Pool, log: pino({ enabled: false }) };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A batch whose carrier listened and never stopped to. */
function takeAndEnd(stop: AbortSignal): WeakRef<AbortSignal> {
  const lease = new Lease(options, stop);
  lease.signal.addEventListener('abort', () => undefined, { once: true });
  lease.end();
  return new WeakRef(lease.signal);
}

it('leaves nothing with the stop of the process once it has ended', async () => {
  const stop = new AbortController();
  const signals = Array.from({ length: 20 }, () => takeAndEnd(stop.signal));
  // What a WeakRef was made of stays until the turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(signals.filter((each) => each.deref() !== undefined)).toEqual([]);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

it('ends submissions when the process stops, and at once where it has stopped', () => {
  const stop = new AbortController();
  const lease = new Lease(options, stop.signal);
  expect(lease.signal.aborted).toBe(false);
  stop.abort();
  const late = new Lease(options, stop.signal);
  expect([lease.signal.aborted, late.signal.aborted]).toEqual([true, true]);
  lease.end();
  late.end();
});
