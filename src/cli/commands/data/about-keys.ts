import { basename } from 'node:path';
import type { Config } from '../../../process/settings/config.js';
import { listKeyFiles } from '../../../process/settings/report-keys.js';

type Keys = Pick<Config, 'databaseUrl' | 'dataDir' | 'keptReportsSecret' | 'verificationSecret'>;

export interface KeyAdvice {
  files: Record<string, string>;
  text: string;
}

/** Returns null with DATABASE_URL, because processes read key files only if they use an embedded PostgreSQL. */
export function keyAdviceForMove(config: Keys): KeyAdvice | null {
  const keys = config.databaseUrl ? [] : listKeyFiles(config).filter(({ exists }) => exists);
  if (keys.length === 0) return null;
  const assignments = keys.map(({ setting, file }) => `${setting} to the content of ${file}`).join(' and ');
  const text = `Set ${assignments}: encrypted data needs the same secrets, and without one sign-in codes are off.`;
  return { files: filesBySetting(keys), text };
}

export function keyAdviceForRestore(config: Keys): KeyAdvice | null {
  const { databaseUrl, dataDir } = config;
  const keys = listKeyFiles(config).filter(({ exists }) => databaseUrl !== undefined || !exists);
  if (keys.length === 0) return null;
  const settings = keys.map(({ setting }) => setting).join(' and ');
  const files = keys.map(({ file }) => basename(file)).join(' and ');
  const alternative = databaseUrl ? '' : `; you can also copy them to ${dataDir}`;
  const text =
    'Backups do not contain the secrets that encrypt sign-in codes and stored reports. Before the start, set ' +
    `${settings} to the old values. An embedded store has them in its DATA_DIR, in ${files}${alternative}.`;
  return { files: filesBySetting(keys), text };
}

function filesBySetting(keys: readonly { setting: string; file: string }[]): Record<string, string> {
  return Object.fromEntries(keys.map(({ setting, file }) => [setting, file]));
}
