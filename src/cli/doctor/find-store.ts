import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { locateCluster } from '../../platform/embedded/cluster/places.js';
import { urlOfRunning } from '../../platform/embedded/running.js';
import { describeFullDisk, findFullDisk } from '../../platform/embedded/server/full-disk.js';
import { useStore } from '../../platform/embedded/use-store.js';
import { placeOf } from '../../platform/store/place.js';
import type { Config } from '../../process/settings/config.js';
import { explainDeep } from '../explain.js';

/** The store that the settings name, as far as it can be looked at. */
export interface FoundStore {
  /** Null where there is none to look at; `problem` says why. */
  url: string | null;
  problem: string | null;
  /** What to do about the problem; unset where there is no store yet. */
  advice?: string;
  /** The embedded PostgreSQL of DATA_DIR. */
  isOwn: boolean;
  /** Where it is, in a sentence without a password. */
  place: string;
  /** Where its data lies, for the room on the disk; empty for another PostgreSQL. */
  folders: readonly string[];
  /** Ends what was started to look at it. */
  close(): Promise<void>;
}

/**
 * Finds the store without changing it: nothing is migrated, and no cluster is made. An embedded one that does not run is
 * started, and stopped by `close`.
 */
export async function findStoreToLookAt(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>,
): Promise<FoundStore> {
  const { dataDir } = config;
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const setting = config.databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const close = async () => undefined;
  if (databaseUrl) {
    const place = `The store is PostgreSQL at ${placeOf(databaseUrl)} (${setting}).`;
    return { url: databaseUrl, problem: null, isOwn: false, place, folders: [], close };
  }
  const { data } = await locateCluster(dataDir);
  const found = { isOwn: true, folders: [dataDir, data], close };
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const problem = `There is no data in ${dataDir} (DATA_DIR), and DATABASE_URL is not set.`;
    return {
      ...found,
      url: null,
      problem,
      place: `The store would be the embedded PostgreSQL in ${data}; it is not there yet.`,
    };
  }
  const disk = (await urlOfRunning(dataDir)) ? null : await findFullDisk(data);
  if (disk) {
    // A server may wait for room, and this would wait for the server.
    const problem = `PostgreSQL does not run, because ${describeFullDisk(disk)}.`;
    return { ...found, url: null, problem, advice: 'Make room there.', place: notStarted(data) };
  }
  try {
    const store = await useStore({ dataDir, log: pino({ level: 'silent' }) });
    const whose = store.isServed ? 'its server runs' : 'no server runs, so it was started to look at it';
    const place = `The store is the embedded PostgreSQL in ${data}; ${whose}.`;
    return { ...found, url: store.url, problem: null, place, close: () => store.close() };
  } catch (error) {
    // Everything that needs no database is checked all the same.
    const advice = 'Correct that, then run this again.';
    return { ...found, url: null, problem: explainDeep(error), advice, place: notStarted(data) };
  }
}

function notStarted(data: string): string {
  return `The store is the embedded PostgreSQL in ${data}; it cannot be used.`;
}
