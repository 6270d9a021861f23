import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../platform/errors/app-error.js';

/** A request must have exactly one Host (RFC 9112 §3.2), because a proxy and the server might choose different ones. */
export function findHostProblem({ rawHeaders, httpVersion }: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>) {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) return new AppError('INVALID_REQUEST', 'A request must not have the header Host twice.');
  if (count === 1 || httpVersion !== '1.1') return null;
  return new AppError('INVALID_REQUEST', 'An HTTP/1.1 request must have the header Host.');
}
