import type { LightMyRequestResponse } from 'fastify';
import { waitFor } from './wait-for.js';

/** Repeats a request while the response is 503, because concurrent requests may time out on a slow machine. */
export function retryUntilAvailable(
  request: () => PromiseLike<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  return waitFor('a response other than 503', async () => {
    const response = await request();
    return response.statusCode !== 503 && response;
  });
}
