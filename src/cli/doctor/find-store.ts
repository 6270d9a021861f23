import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { locateCluster } from '../../platform/embedded/cluster/prepare-cluster.js';
import { findRunningUrl } from '../../platform/embedded/running-url.js';
import { describeFullDisk, findFullDisk } from '../../platform/embedded/server/full-disk.js';
import { openEmbeddedStore } from '../../platform/embedded/use-store.js';
import { describeStoreUrl } from '../../platform/store/redact-url.js';
import type { Config } from '../../process/settings/config.js';
import { explainWithCauses } from '../explain.js';

export interface FoundStore {
  /** URL of the store, or null if it cannot be checked. */
  url: string | null;
  problem: string | null;
  advice?: string;
  /** Whether the store is the embedded PostgreSQL of DATA_DIR. */
  isOwn: boolean;
  /** A sentence that says where the store is, without a password. */
  location: string;
  /** Folders whose disk space is checked. */
  folders: readonly string[];
  close(): Promise<void>;
}

/** Finds the store without migrating or creating it. An embedded PostgreSQL that is not running is started. */
export async function findStoreToCheck(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>,
): Promise<FoundStore> {
  const { dataDir } = config;
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const setting = config.databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const close = async () => undefined;
  if (databaseUrl) {
    const location = `The store is PostgreSQL at ${describeStoreUrl(databaseUrl)} (${setting}).`;
    return { url: databaseUrl, problem: null, isOwn: false, location, folders: [], close };
  }
  const { data } = await locateCluster(dataDir);
  const embeddedStore = { isOwn: true, folders: [dataDir, data], close };
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const problem = `There is no data in ${dataDir} (DATA_DIR), and DATABASE_URL is not set.`;
    return {
      ...embeddedStore,
      url: null,
      problem,
      location: `The store would be the embedded PostgreSQL in ${data}; it does not exist yet.`,
    };
  }
  const disk = (await findRunningUrl(dataDir)) ? null : await findFullDisk(data);
  if (disk) {
    // PostgreSQL is not started on a full disk, because this command might wait for a server that waits for disk space.
    const problem = `PostgreSQL does not run, because ${describeFullDisk(disk)}.`;
    return { ...embeddedStore, url: null, problem, advice: 'Free disk space there.', location: describeUnusable(data) };
  }
  try {
    const store = await openEmbeddedStore({ dataDir, log: pino({ level: 'silent' }) });
    const state = store.isServed ? 'its server is running' : 'no server is running, so it was started for this check';
    const location = `The store is the embedded PostgreSQL in ${data}; ${state}.`;
    return { ...embeddedStore, url: store.url, problem: null, location, close: () => store.close() };
  } catch (error) {
    // The error is returned as a problem, so that checks without a database still run.
    const advice = 'Fix this, then run the command again.';
    return { ...embeddedStore, url: null, problem: explainWithCauses(error), advice, location: describeUnusable(data) };
  }
}

function describeUnusable(data: string): string {
  return `The store is the embedded PostgreSQL in ${data}; it cannot be used.`;
}
