import { pino } from 'pino';
import { expect, it } from 'vitest';
import { freezingProxy } from '../../../chaos/world/freezing-proxy.mjs';
import { openPostgresBackend } from '../../../src/messages/queue/backend.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { waitFor } from '../../support/wait-for.js';

const silentLog = pino({ level: 'silent' });
const closers = closersForEachTest();

it('a queue that could not create its tables creates them at its next use', async () => {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const proxy = await freezingProxy(database.url);
  closers.push(() => proxy.close());
  proxy.freeze();
  const backend = openPostgresBackend(proxy.url, 'opening', { adding: 1, working: 0 }, silentLog);
  const queue = backend.openQueue('bulk');
  queue.on('error', () => undefined);
  closers.push(() => queue.close());
  const readiness = queue.waitUntilReady();
  const cutInterval = setInterval(proxy.cut, 5);
  await expect(readiness).rejects.toThrow();
  clearInterval(cutInterval);
  proxy.thaw();
  const data = { ids: 'x' } as never;
  await waitFor('the queue to take a job', async () => {
    await queue.add('send', data, { priority: 1, removeOnComplete: true, removeOnFail: true, attempts: 1 });
    return true;
  });
});
