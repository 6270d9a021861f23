import type { LightMyRequestResponse } from 'fastify';
import { waitFor } from './wait-for.js';

/** Repeats a request that gets a 503, because a slow machine may time out some of many concurrent requests. */
export function retryUntilAvailable(
  request: () => PromiseLike<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  return waitFor('a response other than 503', async () => {
    const response = await request();
    return response.statusCode !== 503 && response;
  });
}
