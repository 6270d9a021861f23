import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOrphans } from '../../platform/embedded/ownership/orphans.js';
import { VERSION } from '../../platform/package-folder.js';
import type { Config } from '../../process/settings/config.js';
import { formatBytes, formatCount, listSome } from './amounts.js';
import type { FoundStore } from './find-store.js';
import { type Finding, ok, type Severity, warning } from './finding.js';

const GB = 1_000_000_000;

/** Reports where data is stored. URLs are left out, because they may contain a password. */
export function reportLocations(config: Config, store: FoundStore): Finding[] {
  const { dataDir } = config;
  const findings = [ok('process.version', `Heliograph ${VERSION} on Node.js ${process.versions.node}.`)];
  if (existsSync('.env'))
    findings.push(ok('places.settings', `Settings: the environment, then ${join(process.cwd(), '.env')}.`));
  findings.push(ok('places.store', store.location));
  if (store.isOwn && store.url !== null)
    findings.push(ok('places.data', `DATA_DIR is ${dataDir}; PostgreSQL's log is ${join(dataDir, 'postgres.log')}.`));
  return findings;
}

/** Finds clusters whose DATA_DIR no longer exists, because they occupy disk space and contain personal data. */
export async function checkOrphans(clusters?: string): Promise<Finding[]> {
  const orphans = await findOrphans(clusters);
  if (orphans.length === 0) return [];
  const size = formatBytes(orphans.reduce((sum, { bytes }) => sum + bytes, 0));
  const folders = listSome(
    orphans.map(({ folder }) => folder),
    2,
  );
  const text = `${formatCount(orphans.length, 'cluster')} of the embedded PostgreSQL ${orphans.length === 1 ? 'has' : 'have'} no DATA_DIR any more and occup${orphans.length === 1 ? 'ies' : 'y'} ${size}: ${folders}.`;
  const advice = '"heliograph store orphans" shows their former data folders, and can remove them.';
  return [warning('places.orphans', text, advice)];
}

export async function checkDisk(folders: readonly string[]): Promise<Finding[]> {
  const byDevice = new Map(
    folders.map((folder) => [statSync(findExistingFolder(folder)).dev, findExistingFolder(folder)]),
  );
  return await Promise.all(
    [...byDevice.values()].map(async (folder) => {
      const { bavail, blocks, bsize } = await statfs(folder);
      return checkFreeSpace(folder, { free: bavail * bsize, size: blocks * bsize });
    }),
  );
}

export function checkFreeSpace(folder: string, { free, size }: { free: number; size: number }): Finding {
  const text = `${formatBytes(free)} of ${formatBytes(size)} are free on the disk of ${folder}.`;
  const severity: Severity = free < 0.2 * GB ? 'error' : free < GB || free < 0.05 * size ? 'warning' : 'ok';
  const advice =
    'On a full disk, requests are rejected. Delete other files, enlarge the file system, or move the data with "heliograph ' +
    'move". MESSAGE_RETENTION_DAYS stops the growth: space of deleted rows is reused, but not returned to the disk.';
  return { check: 'disk.free', severity, text, advice: severity === 'ok' ? '' : advice };
}

function findExistingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findExistingFolder(dirname(folder));
}
