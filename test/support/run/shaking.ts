import { createRequire } from 'node:module';
import type pg from 'pg';

/*
 * With TEST_SHAKEN=1 some statements go to PostgreSQL late, at random: what a test only finds because one thing is usually
 * faster than another fails then. Those of one connection keep their order, so that nothing waits that may not.
 */

/** Which share of the statements is late. */
const LATE_SHARE = 0.04;

/** How late at the most, in milliseconds: longer than any step between two requests of a test takes. */
const LATEST_MS = 250;

/** What of pg's client sends the next statement, when there is one and the connection is free: it may be asked at any time. */
interface Sending {
  _pulseQueryQueue(): void;
}

if (process.env.TEST_SHAKEN) {
  const { Client } = createRequire(import.meta.url)('pg') as typeof pg;
  const sending = Client.prototype as unknown as Sending;
  const send = sending._pulseQueryQueue;
  const held = new WeakSet<Sending>();
  sending._pulseQueryQueue = function (this: Sending) {
    if (held.has(this)) return;
    if (Math.random() >= LATE_SHARE) return send.call(this);
    held.add(this);
    setTimeout(() => {
      held.delete(this);
      send.call(this);
    }, Math.random() * LATEST_MS);
  };
}
