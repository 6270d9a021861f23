/** Milliseconds of the window in which the server counts requests. */
const WINDOW_MS = 1000;
/** After so many in vain none of those to come will be quick enough. */
const MOST_ATTEMPTS = 20;

/**
 * Makes requests that a rate limit must count together. Where they took longer than the window they prove nothing, and are
 * made again: `attempt` brings an account of its own each time.
 */
export async function withinWindow(attempt: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const began = performance.now();
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() - began < WINDOW_MS || attempts === MOST_ATTEMPTS) throw error;
    }
  }
}
