import { expect, it } from 'vitest';
import { createTestAccount } from '../support/accounts.js';
import { describeEachBackend } from '../support/backends.js';
import { forSuite } from '../support/for-suite.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { suiteApp } from '../support/suite.js';
import { testApp } from '../support/test-app.js';

describeEachBackend('the application under test', (backend) => {
  const api = suiteApp({ backend, role: 'api' });
  const worker = suiteApp({ sharesWith: api, role: 'worker' });
  const account = forSuite(() => createTestAccount(api.deps));

  it('several applications of a test act as processes on one store and one queue', async () => {
    const { data } = await sendSms(api, account, { to: '14155550123, 14155550124' });
    await waitForStatus(
      worker,
      data.map((entry) => entry.message_id),
      'delivered',
    );
  });

  it('applications of different tests share nothing', async () => {
    const otherApp = await testApp({ backend });
    try {
      expect(otherApp.databaseUrl).not.toBe(api.databaseUrl);
      expect(otherApp.queuePrefix).not.toBe(api.queuePrefix);
      expect(await otherApp.deps.prisma.account.count()).toBe(0);
    } finally {
      await otherApp.close();
    }
  });
});
