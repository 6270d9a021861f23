import { inspect } from 'node:util';
import { StartError } from '../platform/errors/start-error.js';
import { redactStoreUrls } from '../platform/store/redact-url.js';

/** EX_TEMPFAIL: a cluster member cannot reach the store, so starting it again may work. */
export const STORE_UNAVAILABLE_EXIT_CODE = 75;

/** A `StartError` is the operator's mistake and needs no stack trace. */
export function refuseStart(error: unknown, exitCode = 1): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${redactStoreUrls(reason)}\n`, () => process.exit(exitCode));
}
