import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * What the file `.env` of the working directory sets; nothing where there is none.
 * @throws when the file is there but cannot be read
 */
export function readEnvironmentFile(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * The environment of this process over the file `.env` of the working directory, where there is one.
 * @throws when the file is there but cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  return { ...readEnvironmentFile(), ...process.env };
}
