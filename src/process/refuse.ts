import { inspect } from 'node:util';
import { StartError } from '../platform/errors/start-error.js';
import { withoutStoreUrls } from '../platform/store/place.js';

/** Exit code of one of several processes for which the store was away: another try may find it (EX_TEMPFAIL). */
export const STORE_AWAY = 75;

/** Ends the process, with exit code 1 unless told. The operator's own mistakes are told in words; anything else with where it happened. */
export function refuse(error: unknown, exitCode = 1): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${withoutStoreUrls(reason)}\n`, () => process.exit(exitCode));
}
