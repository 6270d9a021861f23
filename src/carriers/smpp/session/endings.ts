import { doneOrAborted } from '../../../platform/on-abort.js';
import type { Connection } from './connection.js';

/** Resolves once the connection owes nothing, has ended, or the signal fires. */
export async function idle(connection: Connection, signal: AbortSignal): Promise<void> {
  await doneOrAborted(connection.idle(), signal);
}

/** Why a connection was not made or ended, with the code of Node.js or OpenSSL where there is one. */
export function describe(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
}
