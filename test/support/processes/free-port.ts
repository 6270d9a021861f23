import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Lower than the ports that systems assign, so that no other program gets a port before the test uses it. */
const FIRST_PORT = 20_000;
/** Each test worker has its own range of ports, so that two workers never choose the same port. */
const PORTS_PER_WORKER = 1_000;
const WORKERS = 12;

const first = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
let next = randomInt(PORTS_PER_WORKER);

export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_PER_WORKER; tries += 1) {
    const port = first + (next++ % PORTS_PER_WORKER);
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
  throw new Error(`no port from ${first} to ${first + PORTS_PER_WORKER - 1} is free`);
}
