import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTextFile } from '../../platform/text/text-file.js';
import type { Config } from './config.js';
import { namesIn } from './setting-formats.js';

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** Beside the embedded store. */
const FILE = 'kept-reports-key';
const VERIFICATIONS_FILE = 'verifications-key';

/** A secret that seals what is in the store and is not in it: its setting, and the file that an embedded store has in its place. */
export interface StoreKey {
  setting: 'VERIFICATION_SECRET' | 'KEPT_REPORTS_SECRET';
  /** Absolute. */
  file: string;
  /** Whether the file is there. */
  isThere: boolean;
}

/** The secrets that no setting names: where they lie, or would lie, in the folder of an embedded store. */
export function keysBeside(config: Pick<Config, 'dataDir' | 'keptReportsSecret' | 'verificationSecret'>): StoreKey[] {
  const keys = [
    { setting: 'VERIFICATION_SECRET', given: config.verificationSecret, name: VERIFICATIONS_FILE },
    { setting: 'KEPT_REPORTS_SECRET', given: config.keptReportsSecret, name: FILE },
  ] as const;
  return keys.flatMap(({ setting, given, name }) => {
    const file = path.join(config.dataDir, name);
    return given ? [] : [{ setting, file, isThere: existsSync(file) }];
  });
}

/**
 * The keys under which bodies of kept reports are sealed: those of KEPT_REPORTS_SECRET, else of an embedded store one in its folder,
 * which is made when it is first asked for. None with a PostgreSQL of somebody else's, for its processes share no folder.
 */
export function reportKeys(config: Place & Pick<Config, 'keptReportsSecret'>): string[] {
  return keysOf(config.keptReportsSecret, FILE, config);
}

/** The secrets under which sign-in codes are sealed, found as those of reports are. */
export function verificationKeys(config: Place & Pick<Config, 'verificationSecret'>): string[] {
  return keysOf(config.verificationSecret, VERIFICATIONS_FILE, config);
}

function keysOf(given: string | undefined, file: string, { databaseUrl, dataDir }: Place): string[] {
  if (given) return namesIn(given);
  return databaseUrl ? [] : [keyIn(dataDir, file)];
}

function keyIn(dataDir: string, name: string): string {
  const file = path.join(dataDir, name);
  const known = readKey(file);
  if (known) return known;
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // Whole or not at all, and of two who make one at the same time the first one's.
    linkSync(mine, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(mine, { force: true });
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
