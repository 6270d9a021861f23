import type { LightMyRequestResponse } from 'fastify';
import { waitFor } from './wait-for.js';

/** Asks again for as long as it is 503: of very many requests at once some wait for longer than they may where the machine is slow. */
export function answered(ask: () => PromiseLike<LightMyRequestResponse>): Promise<LightMyRequestResponse> {
  return waitFor('an answer', async () => {
    const answer = await ask();
    return answer.statusCode !== 503 && answer;
  });
}
