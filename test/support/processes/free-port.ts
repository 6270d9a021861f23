import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that systems give to connections, and to servers that ask for any: between this look and the moment at which
 * a test's process takes its port, none of these can be given it.
 */
const LOWEST = 20_000;
/** Each worker of a run has ports of its own, so that two do not choose the same one. */
const OF_EACH_WORKER = 1_000;
const WORKERS = 12;

const first = LOWEST + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * OF_EACH_WORKER;
let next = randomInt(OF_EACH_WORKER);

/** A TCP port on the loopback address on which nothing listens. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < OF_EACH_WORKER; tries += 1) {
    const port = first + (next++ % OF_EACH_WORKER);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
  throw new Error(`no port from ${first} to ${first + OF_EACH_WORKER - 1} is free`);
}
