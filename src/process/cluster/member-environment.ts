import { findEnvironmentFile, useEnvironmentFile } from '../../platform/machine/environment.js';

const MEMBER_VARIABLE = 'HELIOGRAPH_MEMBER';
/** From `--env-file`; empty without one. */
const FILE_VARIABLE = 'HELIOGRAPH_ENV_FILE';

export function isMember(): boolean {
  return process.env[MEMBER_VARIABLE] !== undefined && process.send !== undefined;
}

export function memberEnvironment(number: number): Record<string, string> {
  // Empty instead of unset: a member must not inherit the variable from the environment of the primary process.
  return { [MEMBER_VARIABLE]: String(number), [FILE_VARIABLE]: findEnvironmentFile() ?? '' };
}

/** @throws when the file cannot be read */
export function usePrimaryEnvironmentFile(): void {
  const path = process.env[FILE_VARIABLE];
  if (path && isMember()) useEnvironmentFile(path);
}
