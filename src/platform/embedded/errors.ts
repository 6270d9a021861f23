import { StartError } from '../errors/start-error.js';

export class AlreadyRunningError extends StartError {
  /** @param holder describes the process that uses the data folder, as part of a sentence; null if unknown */
  constructor(
    dataDir: string,
    readonly holder: string | null,
  ) {
    super(
      `Heliograph is already running on the data folder ${dataDir}.${holder ? ` It is ${holder}.` : ''} ` +
        'Stop that process first, or set DATA_DIR to another folder.',
    );
  }
}

/** Errors of PostgreSQL or Node.js if the system allows no more processes. */
const NO_PROCESS = /could not fork|Resource temporarily unavailable|\bEAGAIN\b/;

export function withProcessAdvice(text: string): string {
  if (!NO_PROCESS.test(text)) return text;
  return (
    `${text}\nPostgreSQL cannot start another process because this user has reached its limit. Raise it (ulimit -u, ` +
    'TasksMax of systemd, or the pids limit of the container), then start again.'
  );
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
