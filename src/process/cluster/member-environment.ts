import { findEnvironmentFile, useEnvironmentFile } from '../../platform/machine/environment.js';

/** Set in processes that the primary process has started. */
const MEMBER_VARIABLE = 'HELIOGRAPH_MEMBER';
/** The path given to the primary process with `--env-file`; empty without one. */
const FILE_VARIABLE = 'HELIOGRAPH_ENV_FILE';

/** Whether this process was started by a primary process. */
export function isMember(): boolean {
  return process.env[MEMBER_VARIABLE] !== undefined && process.send !== undefined;
}

/** Environment variables that the primary process sets for a member. */
export function memberEnvironment(number: number): Record<string, string> {
  // Empty rather than left out: a member must not inherit the variable from the environment of the primary process.
  return { [MEMBER_VARIABLE]: String(number), [FILE_VARIABLE]: findEnvironmentFile() ?? '' };
}

/**
 * Makes a member read its settings from the `--env-file` of the primary process, if there is one.
 * @throws when the file cannot be read; the message has its path and the reason
 */
export function usePrimaryEnvironmentFile(): void {
  const path = process.env[FILE_VARIABLE];
  if (path && isMember()) useEnvironmentFile(path);
}
