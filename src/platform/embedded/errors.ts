import { StartError } from '../errors/start-error.js';

/** Another process serves this DATA_DIR, and only one may. */
export class AlreadyRunningError extends StartError {
  /** @param holder which process, for a sentence; null where it is not known */
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

/** How PostgreSQL and Node.js say that no further process may be started. */
const NO_PROCESS = /could not fork|Resource temporarily unavailable|\bEAGAIN\b/;

/** Adds to what PostgreSQL or a command said what an operator can do where too few processes are allowed. */
export function withProcessAdvice(text: string): string {
  if (!NO_PROCESS.test(text)) return text;
  return (
    `${text}\nPostgreSQL cannot start another process: too few are allowed for this user. Raise the limit (ulimit -u, ` +
    'TasksMax of systemd, or the pids limit of the container), then start again.'
  );
}

/** Whether an error of the operating system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
