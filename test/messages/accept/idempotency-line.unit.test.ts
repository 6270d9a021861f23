import { expect, it } from 'vitest';
import type { AccountRef } from '../../../src/accounts/account-ref.js';
import type { IdempotencyKey } from '../../../src/accounts/idempotency/idempotency.js';
import { IdempotencyLine } from '../../../src/messages/accept/idempotency/idempotency-line.js';
import type { Acceptance } from '../../../src/messages/compose/send-request.js';

const key = { key: 'order-1', route: 'POST /v2/send', bodyHash: Buffer.from('same') } as unknown as IdempotencyKey;
const createAcceptance = (name: string) => ({ name, replayed: false }) as unknown as Acceptance;
const createAccount = (id: string) => ({ id }) as AccountRef;

it('two accounts that use the same key at the same time each get their own messages', async () => {
  const line = new IdempotencyLine();
  const results = await Promise.all(
    ['first', 'second'].map((id) => line.run(createAccount(id), key, async () => createAcceptance(id))),
  );
  expect(results).toEqual([createAcceptance('first'), createAcceptance('second')]);
});

it('a repeated request of one account waits for the first one and gets its messages', async () => {
  const line = new IdempotencyLine();
  const results = await Promise.all(
    ['first', 'second'].map((name) => line.run(createAccount('one'), key, async () => createAcceptance(name))),
  );
  expect(results).toEqual([createAcceptance('first'), { ...createAcceptance('first'), replayed: true }]);
});
