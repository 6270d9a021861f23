import { Worker } from 'bullmq';
import { afterEach, expect, it, vi } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const closers = closersForEachTest();
afterEach(() => {
  vi.restoreAllMocks();
});

describeEachBackend('workers that hang', (backend) => {
  it('hung workers are reopened, and waiting messages are sent', async () => {
    const getNextJob = vi.spyOn(Worker.prototype as unknown as { _getNextJob(): Promise<unknown> }, '_getNextJob');
    // Simulates a Redis or PostgreSQL that never responds.
    getNextJob.mockImplementation(() => new Promise(() => undefined));
    const { deps, close } = await testApp({ backend });
    closers.push(close);
    await waitFor('the worker of each lane to ask', () => getNextJob.mock.calls.length === 2);
    getNextJob.mockRestore();
    const account = await createTestAccount(deps);
    await accept(deps, account);
    expect(await waitForAllMessages(deps, account.id, 'delivered')).toBe(1);
  });
});
