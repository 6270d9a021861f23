import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { describeEachBackend } from '../support/backends.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { type TestApp, testApp } from '../support/test-app.js';

describeEachBackend('the application under test', (backend) => {
  let api: TestApp;
  let worker: TestApp;
  let account: TestAccount;

  beforeAll(async () => {
    api = await testApp({ backend, role: 'api' });
    worker = await testApp({ beside: api, role: 'worker' });
    account = await createTestAccount(api.deps);
  });

  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  it('is as many processes as a test opens beside each other, on one store and one queue', async () => {
    const { data } = await sendSms(api, account, { to: '14155550123, 14155550124' });
    await waitForStatus(
      worker,
      data.map((entry) => entry.message_id),
      'delivered',
    );
  });

  it('shares nothing with another one', async () => {
    const other = await testApp({ backend });
    try {
      expect(other.databaseUrl).not.toBe(api.databaseUrl);
      expect(other.queuePrefix).not.toBe(api.queuePrefix);
      expect(await other.deps.prisma.account.count()).toBe(0);
    } finally {
      await other.close();
    }
  });
});
