import { findEnvironmentFile, useEnvironmentFile } from '../../platform/machine/environment.js';

const MEMBER_VARIABLE = 'HELIOGRAPH_MEMBER';
/** This variable passes the path given by `--env-file` to members. */
const FILE_VARIABLE = 'HELIOGRAPH_ENV_FILE';

export function isMember(): boolean {
  return process.env[MEMBER_VARIABLE] !== undefined && process.send !== undefined;
}

export function memberEnvironment(number: number): Record<string, string> {
  // An unset variable would be inherited from the environment of the primary process, so the value is empty instead.
  return { [MEMBER_VARIABLE]: String(number), [FILE_VARIABLE]: findEnvironmentFile() ?? '' };
}

export function usePrimaryEnvironmentFile(): void {
  const path = process.env[FILE_VARIABLE];
  if (path && isMember()) useEnvironmentFile(path);
}
