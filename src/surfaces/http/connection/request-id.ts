import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Uses the caller's `X-Request-Id` if it is harmless, or else a random prefix and a counter, which costs less than a random ID.
 */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const callerId = headers['x-request-id'];
    if (typeof callerId === 'string' && ACCEPTABLE.test(callerId)) return callerId;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}
