import { expect, it } from 'vitest';
import { divideByMonth } from '../../../src/messages/partitions/divide-store.js';
import { readLayout } from '../../../src/messages/partitions/layout-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { readStatus, sendSms, waitForStatus } from '../../support/messages.js';
import { ensureMonths, withClient } from '../../support/store/months.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const heliograph = suiteApp();
const DAY_MS = 24 * 60 * 60 * 1000;

it('dividing the table under load fails no request and loses no message', async () => {
  const secondServer = await testApp({ sharesWith: heliograph, role: 'api' });
  try {
    const account = await createTestAccount(heliograph.deps);
    const ids: string[] = [];
    let isRunning = true;
    const statuses = new Set<string>();
    const runClient = async (app: typeof heliograph) => {
      while (isRunning) {
        const { message_id } = await sendSms(app, account);
        ids.push(message_id);
        statuses.add(await readStatus(app, account, message_id));
      }
    };
    const clients = [heliograph, secondServer, heliograph, secondServer].map(runClient);
    // After 200 sends, every connection has prepared its statements on the undivided table.
    const waitForSends = async (count: number) => {
      const target = ids.length + count;
      while (ids.length < target) await Promise.race([...clients, new Promise((resolve) => setImmediate(resolve))]);
    };
    await waitForSends(200);
    const lockedMs = await withClient(heliograph.databaseUrl, (connection) =>
      divideByMonth({ client: connection, now: new Date(), report: () => undefined }),
    );
    expect(lockedMs).toBeGreaterThan(0);
    await waitForSends(200);
    await withClient(heliograph.databaseUrl, (connection) =>
      ensureMonths(connection, new Date(Date.now() + 70 * DAY_MS)),
    );
    await waitForSends(100);
    isRunning = false;
    await Promise.all(clients);
    await waitForStatus(heliograph, ids, 'delivered');
    expect(new Set(ids).size).toBe(ids.length);
    const layout = await readLayout(heliograph.deps.pool);
    expect(layout.kind === 'months' && layout.partitions.length).toBeGreaterThan(5);
    expect(
      [...statuses].every((status) => ['queued', 'sending', 'sent', 'delivered'].includes(status.toLowerCase())),
    ).toBe(true);
  } finally {
    await secondServer.close();
  }
});
