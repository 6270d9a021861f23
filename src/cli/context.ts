import type { CarrierType } from '../carriers/carrier-type.js';
import { CARRIER_TYPES } from '../carriers/types.js';

/** The outside world of a command. Tests replace it to run commands in the test process. */
export interface CliContext {
  /** Default: src/carriers/types.ts. */
  carrierTypes?: readonly CarrierType[];
  /** Settings by variable name. Default: the environment and `.env`. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Resolves when everything has been written. Unset if writing is synchronous. */
  waitForOutput?(): Promise<void>;
  /** Standard error. */
  writeError(text: string): void;
  /** Contains no password. */
  showStore?(sentence: string): void;
  /** Returns the trimmed answer. Unset without a terminal. */
  prompt?(question: string): Promise<string>;
  /** Whether standard error is a terminal, so that progress can be shown on it. */
  isTerminal?: boolean;
}

export function getCarrierTypes(context: CliContext): readonly CarrierType[] {
  return context.carrierTypes ?? CARRIER_TYPES;
}
