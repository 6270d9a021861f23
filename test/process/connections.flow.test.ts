import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestAccount } from '../support/accounts.js';
import { describeEachBackend } from '../support/backends.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { testApp } from '../support/test-app.js';

describeEachBackend('the PostgreSQL connections of a process', (backend) => {
  it.each(['15', '40'])('never exceed DATABASE_POOL_SIZE=%s under load', async (budget) => {
    const heliograph = await testApp({ backend, settings: { DATABASE_POOL_SIZE: budget } });
    const observer = new pg.Client({ connectionString: heliograph.databaseUrl, application_name: 'observer' });
    try {
      const account = await createTestAccount(heliograph.deps);
      await observer.connect();
      let maxCount = 0;
      let isDone = false;
      const observation = (async () => {
        while (!isDone) {
          const { rows } = await observer.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM pg_stat_activity
             WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> 'observer'`,
          );
          maxCount = Math.max(maxCount, rows[0]?.count ?? 0);
        }
      })();
      const requests = Array.from({ length: 200 }, () => sendSms(heliograph, account));
      const balances = Array.from({ length: 200 }, () =>
        heliograph.app.inject({ url: '/v1.0/account/balance', headers: account.headers }),
      );
      const responses = await Promise.all(requests);
      for (const { statusCode } of await Promise.all(balances)) expect(statusCode).toBe(200);
      await waitForStatus(
        heliograph,
        responses.map((response) => response.message_id),
        'delivered',
      );
      isDone = true;
      await observation;
      expect(maxCount).toBeGreaterThan(5);
      expect(maxCount).toBeLessThanOrEqual(Number(budget));
    } finally {
      await observer.end();
      await heliograph.close();
    }
  });
});
