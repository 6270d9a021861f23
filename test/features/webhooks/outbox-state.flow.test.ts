import { expect, it, onTestFinished } from 'vitest';
import { createAccount } from '../../../src/accounts/accounts.js';
import { readOutboxState } from '../../../src/features/webhooks/delivery/outbox-state-store.js';
import { newId } from '../../../src/platform/ids.js';
import { openTestStore } from '../../support/open-test-store.js';

it('the reported lag leaves out failing webhooks, however many deliveries they have', async () => {
  const { pool, prisma, close } = await openTestStore();
  onTestFinished(close);
  const { id: accountId } = await createAccount(prisma, { name: 'Hooks' });
  const [failing, late] = [newId(), newId()];
  await pool.query(
    `INSERT INTO webhooks (id, account_id, url, events, secret, failing_since)
     VALUES ($1, $3, 'https://a.example/', '{}', 'x', now()), ($2, $3, 'https://b.example/', '{}', 'x', NULL)`,
    [failing, late, accountId],
  );
  const deliver = (webhookId: string, minutes: number) =>
    pool.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, type, data, next_attempt_at, occurred_at)
       VALUES (gen_random_uuid(), $1, 'message.status', '{}', now() - $2 * interval '1 minute', now())`,
      [webhookId, minutes],
    );
  await deliver(failing, 60);
  expect(await readOutboxState(pool)).toEqual({ due: 1, lagSeconds: 0, failing: 1 });
  await deliver(late, 10);
  const { lagSeconds, ...counts } = await readOutboxState(pool);
  expect(counts).toEqual({ due: 2, failing: 1 });
  // PostgreSQL rounds the column to milliseconds, so the lag may be slightly below 600 seconds.
  expect(lagSeconds).toBeGreaterThan(599.9);
  expect(lagSeconds).toBeLessThan(3600);
});
