import { inspect } from 'node:util';
import { StartError } from '../platform/errors/start-error.js';
import { redactStoreUrls } from '../platform/store/redact-url.js';

/**
 * EX_TEMPFAIL. A cluster member exits with this code when it cannot reach the store, so the primary process starts it again.
 */
export const STORE_UNAVAILABLE_EXIT_CODE = 75;

/** A `StartError` is printed without a stack trace, because operators can correct its cause. */
export function refuseStart(error: unknown, exitCode = 1): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${redactStoreUrls(reason)}\n`, () => process.exit(exitCode));
}
