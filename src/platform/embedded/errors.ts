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

/** Whether an error of the operating system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
