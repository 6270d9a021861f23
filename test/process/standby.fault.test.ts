import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { StandbyPair } from '../../chaos/world/replicated/standby.mjs';
import { describeFeature } from '../support/backends.js';
import { closersForEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { findFreePort } from '../support/processes/free-port.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { QueueWatch, readDemo, Senders } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersForEachTest();

const FROZEN_MS = 8_000;
async function openPair(): Promise<StandbyPair> {
  const folder = openFolder('heliograph-standby-');
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const pair = new StandbyPair(folder);
  closers.push(() => pair.close());
  await pair.open();
  return pair;
}

describeFeature('a frozen primary whose standby is promoted', (backend) => {
  it('is abandoned by workers and the API, and no acknowledged message is lost', async () => {
    const pair = await openPair();
    const dataDir = openFolder('heliograph-standby-data-');
    closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const metricsUrls: string[] = [];
    const start = async (role: string) => {
      const metricsPort = await findFreePort();
      metricsUrls.push(`http://127.0.0.1:${metricsPort}/metrics`);
      const settings = {
        METRICS_PORT: String(metricsPort),
        ...{ DATABASE_URL: pair.url, DATA_DIR: dataDir, ROLE: role, SEED_DEMO: 'true', DATABASE_POOL_SIZE: '15' },
        ...{ LOG_LEVEL: 'warn', SIMULATOR_DELAY_MS: '20', RATE_LIMIT_PER_SECOND: '0' },
        ...(backend === 'redis' && { REDIS_URL: inject('services').redisUrl ?? '', QUEUE_PREFIX: basename(dataDir) }),
      };
      const server = await startServerProcess({ settings });
      closers.push(() => server.stop('SIGKILL'));
      return server;
    };
    const api = await start('api');
    await start('worker');
    const { apiKey } = await readDemo(dataDir);
    const senders = new Senders({ baseUrl: api.baseUrl, apiKey, concurrency: 4 });
    // The test watches the standby, because it becomes the primary.
    const watch = new QueueWatch(pair.standby.url());
    closers.push(() => watch.close());
    const countDelivered = async () => (await watch.countStatuses([...senders.acknowledged])).delivered ?? 0;
    const assertAlive = () => undefined;
    senders.start();
    await waitFor('messages to be delivered', async () => (await countDelivered()) > 50);

    pair.primary.signal('SIGSTOP');
    await pause(FROZEN_MS);
    await pair.promote();
    const [acknowledgedBefore, deliveredBefore] = [senders.acknowledged.size, await countDelivered()];
    await waitFor('a message to be accepted', () => senders.acknowledged.size > acknowledgedBefore);
    await waitFor('a message to be delivered', async () => (await countDelivered()) > deliveredBefore + 20);

    // Without this, statements on the frozen server would end only after the timeouts of their pools.
    const metrics = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
    expect(metrics.join('\n')).toMatch(/^heliograph_store_abandoned_connections_total [1-9]/m);

    await senders.stop(assertAlive);
    await watch.expectAllFinal({ timeoutMs: 90_000, assertAlive });
    const ids = [...senders.acknowledged];
    expect(await watch.countStatuses(ids)).toEqual({ delivered: ids.length });
  });
});
