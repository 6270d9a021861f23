import { expect, it } from 'vitest';
import { setQuietHours } from '../../../src/messages/quiet-hours/settings.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { waitForStatus } from '../../support/messages.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const CREDIT = 100_000_000n;
const DAY_MS = 86_400_000;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;

const api = suiteApp({ role: 'api' });

it('a message whose worker is killed before the hold is stored is held by the next one, and leaves once', async () => {
  const { prisma, pool } = api.deps;
  const account = await createTestAccount(api.deps);
  const closedDates = [-1, 0, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
  const windows = [{ days: EVERY_DAY, from: 0, to: 1440 }];
  const rules = [{ name: 'closed now', countries: [], windows, closedDates }];
  await setQuietHours(prisma, account.id, { presets: [], rules, includesTransactional: false });
  const payload = { to: '33612345678', from: 'Shop', message: 'Sale', purpose: 'marketing' };
  const response = await api.app.inject({ method: 'POST', url: '/v2/send', headers: account.headers, payload });
  const id = response.json().data[0].message_id;

  await killWorkerAt(api, 'send:hold');
  expect(await prisma.messageHold.count({ where: { messageId: id } })).toBe(0);

  await expireLeases(api);
  const worker = await testApp({ role: 'worker', sharesWith: api });
  try {
    await waitFor('the message to be held', async () => prisma.messageHold.findFirst({ where: { messageId: id } }));
    const { status, priceMicros } = await prisma.message.findFirstOrThrow({ where: { id } });
    expect(status).toBe('queued');
    expect(await readBalance(api.deps, account.id)).toBe(CREDIT - priceMicros);

    await setQuietHours(prisma, account.id, null);
    await worker.deps.quietAccounts.reload();
    await pool.query('UPDATE messages SET not_before = now(), next_look = now() WHERE id = $1', [id]);
    await waitForStatus(api, [id], 'delivered');
    expect(await prisma.messageHold.count({ where: { messageId: id } })).toBe(1);
    expect(await readBalance(api.deps, account.id)).toBe(CREDIT - priceMicros);
  } finally {
    await worker.close();
  }
});
