import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOrphans } from '../../platform/embedded/ownership/orphans.js';
import { VERSION } from '../../platform/package-folder.js';
import type { Config } from '../../process/settings/config.js';
import { counted, inBytes, someOf } from './amounts.js';
import type { FoundStore } from './find-store.js';
import { type Finding, ok, type Severity, warning } from './finding.js';

const GB = 1_000_000_000;

/** Versions, and where things lie. No URL is shown, for it may hold a password. */
export function placesOf(config: Config, store: FoundStore): Finding[] {
  const { dataDir } = config;
  const findings = [ok('process.version', `Heliograph ${VERSION} on Node.js ${process.versions.node}.`)];
  if (existsSync('.env'))
    findings.push(ok('places.settings', `Settings: the environment over ${join(process.cwd(), '.env')}.`));
  findings.push(ok('places.store', store.place));
  if (store.isOwn && store.url !== null)
    findings.push(ok('places.data', `DATA_DIR is ${dataDir}; PostgreSQL's log is ${join(dataDir, 'postgres.log')}.`));
  return findings;
}

/** Clusters that no DATA_DIR leads to any more: they hold people's messages, and room. */
export async function checkOrphans(clusters?: string): Promise<Finding[]> {
  const orphans = await findOrphans(clusters);
  if (orphans.length === 0) return [];
  const room = inBytes(orphans.reduce((sum, { bytes }) => sum + bytes, 0));
  const folders = someOf(
    orphans.map(({ folder }) => folder),
    2,
  );
  const text = `${counted(orphans.length, 'cluster')} of the embedded PostgreSQL ${orphans.length === 1 ? 'has' : 'have'} no DATA_DIR any more and take${orphans.length === 1 ? 's' : ''} ${room}: ${folders}.`;
  const advice = '"heliograph store orphans" tells whose they were, and removes them.';
  return [warning('places.orphans', text, advice)];
}

/** Room where the data of the embedded PostgreSQL lies: each file system once. */
export async function checkDisk(folders: readonly string[]): Promise<Finding[]> {
  const byDevice = new Map(folders.map((folder) => [statSync(nearest(folder)).dev, nearest(folder)]));
  return await Promise.all(
    [...byDevice.values()].map(async (folder) => {
      const { bavail, blocks, bsize } = await statfs(folder);
      return roomFinding(folder, { free: bavail * bsize, size: blocks * bsize });
    }),
  );
}

/** @param room in bytes */
export function roomFinding(folder: string, { free, size }: { free: number; size: number }): Finding {
  const text = `${inBytes(free)} of ${inBytes(size)} are free where ${folder} lies.`;
  const severity: Severity = free < 0.2 * GB ? 'error' : free < GB || free < 0.05 * size ? 'warning' : 'ok';
  const advice =
    'On a full disk nothing is accepted. Delete what is not of PostgreSQL there, or make the file system larger; the data ' +
    'itself is moved with "heliograph move". MESSAGE_RETENTION_DAYS keeps it from growing: the room of deleted rows is used ' +
    'again, but not given back to the disk.';
  return { check: 'disk.free', severity, text, advice: severity === 'ok' ? '' : advice };
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
