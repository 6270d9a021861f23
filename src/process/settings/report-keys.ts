import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTextFile } from '../../platform/text/text-file.js';
import type { Config } from './config.js';
import { splitList } from './setting-formats.js';

type KeyLocation = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** In DATA_DIR. */
const REPORTS_FILE = 'kept-reports-key';
const VERIFICATIONS_FILE = 'verifications-key';

export interface StoreKey {
  setting: 'VERIFICATION_SECRET' | 'KEPT_REPORTS_SECRET';
  /** Absolute. */
  file: string;
  exists: boolean;
}

/** Lists the key files for secrets that are not set, which are created when their keys are first needed. */
export function listKeyFiles(config: Pick<Config, 'dataDir' | 'keptReportsSecret' | 'verificationSecret'>): StoreKey[] {
  const keys = [
    { setting: 'VERIFICATION_SECRET', secret: config.verificationSecret, name: VERIFICATIONS_FILE },
    { setting: 'KEPT_REPORTS_SECRET', secret: config.keptReportsSecret, name: REPORTS_FILE },
  ] as const;
  return keys.flatMap(({ setting, secret, name }) => {
    const file = path.join(config.dataDir, name);
    return secret ? [] : [{ setting, file, exists: existsSync(file) }];
  });
}

/** Returns no key file with DATABASE_URL, because the processes might not share a folder. */
export function reportKeys(config: KeyLocation & Pick<Config, 'keptReportsSecret'>): string[] {
  return findKeys(config.keptReportsSecret, REPORTS_FILE, config);
}

export function verificationKeys(config: KeyLocation & Pick<Config, 'verificationSecret'>): string[] {
  return findKeys(config.verificationSecret, VERIFICATIONS_FILE, config);
}

function findKeys(secrets: string | undefined, file: string, { databaseUrl, dataDir }: KeyLocation): string[] {
  if (secrets) return splitList(secrets);
  return databaseUrl ? [] : [ensureKey(dataDir, file)];
}

function ensureKey(dataDir: string, name: string): string {
  const file = path.join(dataDir, name);
  const existing = readKey(file);
  if (existing) return existing;
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // A link is created atomically, so that two processes which create the key concurrently both use the first key.
    linkSync(temporaryFile, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  return readKey(file) as string;
}

function readKey(file: string): string | null {
  try {
    return readTextFile(file).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
