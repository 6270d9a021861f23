import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from '../text/text-file.js';
import { parseUnitEnvironment } from './unit-environment.js';

/** What `--env-file` named: it stands in the place of `.env`, and wins over the environment. */
let named: { path: string; values: NodeJS.Dict<string> } | null = null;

/**
 * Reads a file of settings as the unit of systemd does.
 * @throws when it cannot be read, with its name and why
 */
export function readUnitFile(path: string): Record<string, string> {
  try {
    return parseUnitEnvironment(readTextFile(path));
  } catch (cause) {
    throw new Error(`--env-file: ${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

/**
 * Lets this process take its settings from this file first, and no more from `.env`. It is read here, and again by
 * `rereadEnvironmentFile` alone.
 * @throws when it cannot be read, with its name and why
 */
export function useEnvironmentFile(path: string): void {
  named = { path: resolve(path), values: readUnitFile(path) };
}

/** Where the file lies that stands in the place of `.env`, for a process that this one starts; null where none was named. */
export function namedEnvironmentFile(): string | null {
  return named?.path ?? null;
}

/**
 * Reads the file that was named anew, if one was.
 * @throws when it cannot be read any more; what was read before stays
 */
export function rereadEnvironmentFile(): void {
  if (named) useEnvironmentFile(named.path);
}

/**
 * What the file `.env` of the working directory sets, or the file that stands in its place; nothing where there is none.
 * @throws when the file is there but cannot be read
 */
export function readEnvironmentFile(): NodeJS.Dict<string> {
  if (named) return named.values;
  try {
    return parseEnv(readTextFile('.env'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * The environment of this process over the file `.env` of the working directory, where there is one. A file that was named
 * on the command line wins over both: whoever names it means it, as systemd lets it win over the lines of a unit.
 * @throws when the file is there but cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  return named ? { ...process.env, ...named.values } : { ...readEnvironmentFile(), ...process.env };
}
