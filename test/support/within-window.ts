import { vi } from 'vitest';
import { WAIT_MS } from './wait-for.js';

/**
 * Makes requests that a rate limit must count in one window. The process's clocks stand still, but windows in Redis end, so a
 * slow attempt is repeated. Each `attempt` must create its own account.
 */
export async function withinWindow(attempt: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const start = performance.now();
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      return await attempt();
    } catch (error) {
      vi.useRealTimers();
      const now = performance.now();
      if (now - start < WINDOW_MS || now > deadline) throw error;
    } finally {
      vi.useRealTimers();
    }
  }
}

/** Rate limits count requests in windows of this length. */
const WINDOW_MS = 1000;
