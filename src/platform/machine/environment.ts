import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from '../text/text-file.js';
import { parseUnitEnvironment } from './unit-environment.js';

/** The file named by `--env-file`. It replaces `.env`, and takes precedence over the environment. */
let envFile: { path: string; values: NodeJS.Dict<string> } | null = null;

/**
 * Reads a settings file like systemd's `EnvironmentFile`.
 * @throws with the file's name and the reason if it cannot be read
 */
export function readUnitFile(path: string): Record<string, string> {
  try {
    return parseUnitEnvironment(readTextFile(path));
  } catch (cause) {
    throw new Error(`--env-file: cannot read ${path}: ${(cause as Error).message}.`, { cause });
  }
}

/**
 * Makes this process use this file instead of `.env`, with precedence over the environment. The file is read now, and
 * again only by `rereadEnvironmentFile`.
 * @throws with the file's name and the reason if it cannot be read
 */
export function useEnvironmentFile(path: string): void {
  envFile = { path: resolve(path), values: readUnitFile(path) };
}

/** Returns the absolute path of the `--env-file`, for child processes; null if none was named. */
export function findEnvironmentFile(): string | null {
  return envFile?.path ?? null;
}

/**
 * Rereads the `--env-file`, if one was named.
 * @throws if it cannot be read any more; the previous settings stay
 */
export function rereadEnvironmentFile(): void {
  if (envFile) useEnvironmentFile(envFile.path);
}

/**
 * Reads the `--env-file`, or `.env` in the working directory if it exists.
 * @throws if the file exists but cannot be read
 */
export function readEnvironmentFile(): NodeJS.Dict<string> {
  if (envFile) return envFile.values;
  try {
    return parseEnv(readTextFile('.env'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Returns the environment of this process, completed by `.env` in the working directory. An `--env-file` takes
 * precedence over both, as it does in a systemd unit.
 * @throws if the file exists but cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  return envFile ? { ...process.env, ...envFile.values } : { ...readEnvironmentFile(), ...process.env };
}
