import type { CarrierType } from '../carriers/carrier-type.js';
import { CARRIER_TYPES } from '../carriers/types.js';

/** Tests replace it to run commands in their own process. */
export interface CliContext {
  /** Default: src/carriers/types.ts. */
  carrierTypes?: readonly CarrierType[];
  /** Settings by variable name. Default: the environment and `.env`. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Unset if writing is synchronous. */
  drained?(): Promise<void>;
  /** Standard error. */
  writeError(text: string): void;
  /** Contains no password. */
  showStore?(sentence: string): void;
  /** Returns the trimmed answer. Unset without a terminal. */
  prompt?(question: string): Promise<string>;
  /** Whether standard error is a terminal, so that progress can be shown on it. */
  isTerminal?: boolean;
}

export function carrierTypes(context: CliContext): readonly CarrierType[] {
  return context.carrierTypes ?? CARRIER_TYPES;
}
