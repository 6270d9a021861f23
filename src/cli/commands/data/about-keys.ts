import { basename } from 'node:path';
import type { Config } from '../../../process/settings/config.js';
import { listKeyFiles } from '../../../process/settings/report-keys.js';

type Keys = Pick<Config, 'databaseUrl' | 'dataDir' | 'keptReportsSecret' | 'verificationSecret'>;

/** What is said of secrets, and for scripts the file of each setting that is to be set. */
export interface AboutKeys {
  files: Record<string, string>;
  text: string;
}

/**
 * What to do with the secrets of an embedded store that was moved: processes on an external one look for none in a folder.
 * @returns null where there is none to take along
 */
export function aboutKeysOfMoved(config: Keys): AboutKeys | null {
  const keys = config.databaseUrl ? [] : listKeyFiles(config).filter(({ exists }) => exists);
  if (keys.length === 0) return null;
  const wanted = keys.map(({ setting, file }) => `${setting} to what ${file} holds`).join(' and ');
  const text = `Set ${wanted}: sign-in codes are off without a secret, and what was sealed needs the same one.`;
  return { files: filesOf(keys), text };
}

/** Which secrets a store that was restored needs and has not got. @returns null where none is missing */
export function aboutKeysOfRestored(config: Keys): AboutKeys | null {
  const { databaseUrl, dataDir } = config;
  const keys = listKeyFiles(config).filter(({ exists }) => databaseUrl !== undefined || !exists);
  if (keys.length === 0) return null;
  const settings = keys.map(({ setting }) => setting).join(' and ');
  const files = keys.map(({ file }) => basename(file)).join(' and ');
  const instead = databaseUrl ? '' : `, which may be copied to ${dataDir} instead`;
  const text =
    'No backup has the secrets under which sign-in codes and kept reports are sealed. Before the start set ' +
    `${settings} as they were. An embedded store had them in its DATA_DIR, as ${files}${instead}.`;
  return { files: filesOf(keys), text };
}

function filesOf(keys: readonly { setting: string; file: string }[]): Record<string, string> {
  return Object.fromEntries(keys.map(({ setting, file }) => [setting, file]));
}
