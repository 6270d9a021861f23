import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign, so that no other program gets the port before the test uses it. */
const LOWEST = 20_000;
/** Each worker has its own range, so that two workers never choose the same port. */
const OF_EACH_WORKER = 1_000;
const WORKERS = 12;

const first = LOWEST + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * OF_EACH_WORKER;
let next = randomInt(OF_EACH_WORKER);

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
