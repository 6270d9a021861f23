/** What a command works with, so that tests can run it in their own process. */
export interface CliContext {
  /** Settings by the names of their variables; unset: the environment and `.env`. */
  env?: NodeJS.ProcessEnv;
  /** Standard output: results only. */
  write(text: string): void;
  /** Standard error. */
  writeError(text: string): void;
}
