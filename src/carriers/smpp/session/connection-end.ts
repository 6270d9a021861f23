import { doneOrAborted } from '../../../platform/on-abort.js';
import type { Connection } from './connection.js';

/** Waits until nothing is unanswered on the connection, the connection ended, or the signal fires. */
export async function waitUntilIdle(connection: Connection, signal: AbortSignal): Promise<void> {
  await doneOrAborted(connection.idle(), signal);
}

/** The error message, prefixed with the code of Node.js or OpenSSL if there is one. */
export function describeError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
}
