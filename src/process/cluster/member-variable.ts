import { namedEnvironmentFile, useEnvironmentFile } from '../../platform/machine/environment.js';

/** The variable by which a process knows that the first one has started it. */
const MEMBER_VARIABLE = 'HELIOGRAPH_MEMBER';
/** The variable that tells it where the file lies that stands in the place of `.env`, if one was named. */
const FILE_VARIABLE = 'HELIOGRAPH_ENV_FILE';

/** Whether another process of Heliograph has started this one. */
export function isMember(): boolean {
  return process.env[MEMBER_VARIABLE] !== undefined && process.send !== undefined;
}

/** What the environment of a process that this one starts has beside that of this one. */
export function memberEnvironment(number: number): Record<string, string> {
  // Empty rather than left out: what this process found in its own environment is not for others.
  return { [MEMBER_VARIABLE]: String(number), [FILE_VARIABLE]: namedEnvironmentFile() ?? '' };
}

/**
 * Takes the settings from the file that the first process was given by `--env-file`, if it was.
 * @throws when it cannot be read, with its name and why
 */
export function takeNamedFile(): void {
  const path = process.env[FILE_VARIABLE];
  if (path && isMember()) useEnvironmentFile(path);
}
