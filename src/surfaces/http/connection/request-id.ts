import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * A maker of request ids: a caller's own `X-Request-Id` where it is harmless, else the process's random prefix and a
 * count, which costs less than a random id for each.
 */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && ACCEPTABLE.test(given)) return given;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}
