import { inspect } from 'node:util';
import { StartError } from '../platform/errors/start-error.js';
import { redactStoreUrls } from '../platform/store/redact-url.js';

/** A cluster member exits with this code (EX_TEMPFAIL) when it cannot reach the store: starting it again may work. */
export const STORE_UNAVAILABLE_EXIT_CODE = 75;

/** Writes why the start failed to standard error and exits. A `StartError` is the operator's mistake and needs no stack trace. */
export function refuseStart(error: unknown, exitCode = 1): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${redactStoreUrls(reason)}\n`, () => process.exit(exitCode));
}
