import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.js';
import { namesIn } from './setting-formats.js';

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** Beside the embedded store. */
const FILE = 'kept-reports-key';
const VERIFICATIONS_FILE = 'verifications-key';

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
  mkdirSync(dataDir, { recursive: true });
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
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
