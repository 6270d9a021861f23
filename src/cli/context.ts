import type { CarrierType } from '../carriers/carrier-type.js';
import { CARRIER_TYPES } from '../carriers/types.js';

/** What a command works with, so that tests can run it in their own process. */
export interface CliContext {
  /** Types of carriers; those of src/carriers/types.ts unless told. */
  carrierTypes?: readonly CarrierType[];
  /** Settings by the names of their variables; unset: the environment and `.env`. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Resolves once standard output has taken what was written; unset: it is at once. */
  drained?(): Promise<void>;
  /** Standard error. */
  writeError(text: string): void;
  /** Told in a sentence which store a command works on; it holds no password. Unset: nobody asks. */
  tellStore?(sentence: string): void;
  /** Asks whoever sits at the terminal, and gives what they enter, without blanks around it. Unset: nobody does. */
  ask?(question: string): Promise<string>;
  /** Whether standard error is a terminal, so that progress can be shown on it. */
  isTerminal?: boolean;
}

/** The types of carriers that a command knows. */
export function carrierTypes(context: CliContext): readonly CarrierType[] {
  return context.carrierTypes ?? CARRIER_TYPES;
}
