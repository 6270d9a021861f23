import { createRequire } from 'node:module';
import type pg from 'pg';

/*
 * With TEST_SHAKEN=1, random SQL statements are delayed, which exposes tests that rely on timing. Statements keep their order
 * within a connection, so a correct test never waits forever.
 */

const LATE_SHARE = 0.04;

/** Longest delay of a statement, longer than any pause between two requests of a test. */
const LATEST_MS = 250;

/** The part of pg's client that sends the next statement if the connection is free. */
interface QueryQueue {
  _pulseQueryQueue(): void;
}

if (process.env.TEST_SHAKEN) {
  const { Client } = createRequire(import.meta.url)('pg') as typeof pg;
  const sending = Client.prototype as unknown as QueryQueue;
  const send = sending._pulseQueryQueue;
  const delayed = new WeakSet<QueryQueue>();
  sending._pulseQueryQueue = function (this: QueryQueue) {
    if (delayed.has(this)) return;
    if (Math.random() >= LATE_SHARE) return send.call(this);
    delayed.add(this);
    setTimeout(() => {
      delayed.delete(this);
      send.call(this);
    }, Math.random() * LATEST_MS);
  };
}
