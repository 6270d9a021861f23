import { setImmediate } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const test = suiteApp({ role: 'api' });

// Hundreds of them, which only the processor's speed makes fast.
it('every schema compiles, though a start waits for none', { timeout: 120_000 }, async () => {
  await expect(test.app.madeLate.makeAll(() => setImmediate())).resolves.toBeUndefined();
});

it('a schema compiles once in a process, however many applications it opens', async () => {
  const account = await createTestAccount(test.deps);
  const badly = { method: 'POST', url: '/v2/send', headers: account.headers, payload: { to: 15005550111 } } as const;
  const answer = await test.app.inject(badly);
  expect(answer.statusCode).toBe(400);
  const other = await testApp({ beside: test });
  onTestFinished(() => other.close());
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  onTestFinished(() => compile.mockRestore());
  const again = await other.app.inject(badly);
  expect(again.json().error ?? again.json().message).toEqual(answer.json().error ?? answer.json().message);
  expect(again.statusCode).toBe(400);
  expect(compile).not.toHaveBeenCalled();
});
