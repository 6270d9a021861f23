import { closeSync, openSync } from 'node:fs';

const TERMINAL = '/dev/tty';

/** Whether this process has a terminal that it was started on, which can still be reached. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Tells the two meanings of SIGHUP apart: that the terminal was closed, and that somebody asked for a restart.
 * @returns whether the terminal is gone that this process had when this was called first
 */
export function watchTerminal(): () => boolean {
  const had = hasTerminal();
  return () => had && !hasTerminal();
}
