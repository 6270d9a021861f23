import { closeSync, openSync } from 'node:fs';

const TERMINAL = '/dev/tty';

function hasTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r'));
    return true;
  } catch {
    return false;
  }
}

export function watchTerminal(): () => boolean {
  const startedInTerminal = hasTerminal();
  return () => startedInTerminal && !hasTerminal();
}
