import type { LightMyRequestResponse } from 'fastify';
import { waitFor } from './wait-for.js';

/** Repeats a request while its answer is 503, because a slow machine may time out some of many concurrent requests. */
export function retryUntilAvailable(
  request: () => PromiseLike<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  return waitFor('an answer', async () => {
    const response = await request();
    return response.statusCode !== 503 && response;
  });
}
