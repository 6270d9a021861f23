import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from '../text/text-file.js';
import { parseUnitEnvironment } from './unit-environment.js';

/** File given with `--env-file`, which replaces `.env` and overrides the environment. */
let envFile: { path: string; values: NodeJS.Dict<string> } | null = null;

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

/** Throws if the file of `--env-file` cannot be read; the previous settings then stay in use. */
export function rereadEnvironmentFile(): void {
  if (envFile) useEnvironmentFile(envFile.path);
}

/** Throws if `.env` exists but cannot be read. */
export function readEnvironmentFile(): NodeJS.Dict<string> {
  if (envFile) return envFile.values;
  try {
    return parseEnv(readTextFile('.env'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** As in a systemd unit, the file of `--env-file` overrides the environment, but `.env` does not. */
export function readEnvironment(): NodeJS.ProcessEnv {
  return envFile ? { ...process.env, ...envFile.values } : { ...readEnvironmentFile(), ...process.env };
}
