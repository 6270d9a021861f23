import { waitForDoneOrAborted } from '../../../platform/on-abort.js';
import type { Connection } from './connection.js';

export async function waitUntilIdle(connection: Connection, signal: AbortSignal): Promise<void> {
  await waitForDoneOrAborted(connection.whenIdle(), signal);
}

export function describeError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
}
