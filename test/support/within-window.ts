import { vi } from 'vitest';
import { WAIT_MS } from './wait-for.js';

/**
 * Makes requests that a rate limit must count in one window. The clocks of this process stand still meanwhile, so its own
 * windows never end. Those in Redis do: a slow attempt may span two of them, and is made again. `attempt` brings an account of
 * its own each time.
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

/** Milliseconds of the window in which the server counts requests. */
const WINDOW_MS = 1000;
