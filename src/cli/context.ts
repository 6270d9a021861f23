import type { CarrierType } from '../carriers/carrier-type.js';
import { CARRIER_TYPES } from '../carriers/types.js';

/** Access of a command to its environment, which tests replace to run commands in the test process. */
export interface CliContext {
  /** Default: src/carriers/types.ts. */
  carrierTypes?: readonly CarrierType[];
  /** Settings by variable name, which come from the environment and `.env` by default. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Waits until all output has been written. Undefined if synchronous. */
  waitForOutput?(): Promise<void>;
  /** Standard error. */
  writeError(text: string): void;
  /** Contains no password. */
  showStore?(sentence: string): void;
  /** Returns the trimmed answer. Unset without a terminal. */
  prompt?(question: string): Promise<string>;
  /** Whether standard error is a terminal, which can show progress. */
  isTerminal?: boolean;
}

export function getCarrierTypes(context: CliContext): readonly CarrierType[] {
  return context.carrierTypes ?? CARRIER_TYPES;
}
