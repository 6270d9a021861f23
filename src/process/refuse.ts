import { inspect } from 'node:util';
import { StartError } from '../platform/errors/start-error.js';
import { withoutStoreUrls } from '../platform/store/place.js';

/** Ends the process. The operator's own mistakes are told in words; anything else with where it happened. */
export function refuse(error: unknown): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${withoutStoreUrls(reason)}\n`, () => process.exit(1));
}
