import type { CarrierType } from '../carriers/carrier-type.js';
import { CARRIER_TYPES } from '../carriers/types.js';

/** The environment of a command. Tests replace it to run commands in their own process. */
export interface CliContext {
  /** Default: src/carriers/types.ts. */
  carrierTypes?: readonly CarrierType[];
  /** Settings by variable name. Default: the environment and `.env`. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Resolves once everything is written to standard output. Unset: writing is synchronous. */
  drained?(): Promise<void>;
  /** Standard error. */
  writeError(text: string): void;
  /** Shows which store a command uses, in a sentence without a password. */
  showStore?(sentence: string): void;
  /** Asks a question on the terminal and returns the trimmed answer. Unset without a terminal. */
  prompt?(question: string): Promise<string>;
  /** Whether standard error is a terminal, so that progress can be shown on it. */
  isTerminal?: boolean;
}

export function carrierTypes(context: CliContext): readonly CarrierType[] {
  return context.carrierTypes ?? CARRIER_TYPES;
}
