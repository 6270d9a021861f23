import { vi } from 'vitest';
import { WAIT_MS } from './wait-for.js';

/**
 * Makes requests that a rate limit must count in a single window. The process's clocks are stopped, but windows in Redis still
 * end, so slow attempts are repeated. Each `attempt` must create its own account.
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

/** Length of the windows in which rate limits count requests. */
const WINDOW_MS = 1000;
