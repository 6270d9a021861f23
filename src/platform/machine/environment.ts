import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from '../text/text-file.js';
import { parseUnitEnvironment } from './unit-environment.js';

/** The file given with `--env-file`. Replaces `.env` and overrides the environment. */
let envFile: { path: string; values: NodeJS.Dict<string> } | null = null;

/** @throws with the file's name and the reason */
export function readUnitFile(path: string): Record<string, string> {
  try {
    return parseUnitEnvironment(readTextFile(path));
  } catch (cause) {
    throw new Error(`--env-file: cannot read ${path}: ${(cause as Error).message}.`, { cause });
  }
}

export function useEnvironmentFile(path: string): void {
  envFile = { path: resolve(path), values: readUnitFile(path) };
}

export function findEnvironmentFile(): string | null {
  return envFile?.path ?? null;
}

/** @throws if the file cannot be read; the previous settings stay */
export function rereadEnvironmentFile(): void {
  if (envFile) useEnvironmentFile(envFile.path);
}

/** @throws if an existing file cannot be read */
export function readEnvironmentFile(): NodeJS.Dict<string> {
  if (envFile) return envFile.values;
  try {
    return parseEnv(readTextFile('.env'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** As in a systemd unit, an `--env-file` overrides the environment; `.env` does not. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return envFile ? { ...process.env, ...envFile.values } : { ...readEnvironmentFile(), ...process.env };
}
