import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * The environment of this process over the file `.env` of the working directory, where there is one.
 * @throws when the file is there but cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8')), ...process.env };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env;
    throw error;
  }
}
