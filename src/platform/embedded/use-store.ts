import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AlreadyRunningError, startEmbeddedPostgres } from './embedded-postgres.js';
import { readHolder } from './ownership/folder-lock.js';
import { urlOfRunning } from './running.js';

/** How long a command waits for a server that starts, and for another command that has the store. */
const WAIT_MS = 60_000;

export interface StoreInUse {
  /** Of the database `heliograph`. */
  url: string;
  /** Whether a server runs it; else it was started for this use. */
  isServed: boolean;
  /** Stops what was started. */
  close(): Promise<void>;
}

/**
 * The embedded store for a command: that of the running server, in this container or another one that shares the folder,
 * or else one that is started here. A store that another command started ends with that command, so this one waits for it.
 * @param options.dataDir holds a cluster, or is to get one
 * @throws {AlreadyRunningError} when the folder is in use and its store cannot be reached from here
 */
export async function useStore(options: { dataDir: string; log: Logger }): Promise<StoreInUse> {
  const { dataDir, log } = options;
  let isWaiting = false;
  for (const deadline = performance.now() + WAIT_MS; ; await pause(100)) {
    const url = await urlOfRunning(dataDir);
    if (url && (await readHolder(dataDir))?.kind !== 'command') {
      return { url, isServed: true, close: async () => undefined };
    }
    try {
      const postgres = await startEmbeddedPostgres({ dataDir, log, usedBy: { kind: 'command' } });
      return { url: postgres.url, isServed: false, close: () => postgres.close() };
    } catch (error) {
      if (!(error instanceof AlreadyRunningError) || performance.now() > deadline) throw error;
      if (!isWaiting) log.warn(`Waiting for the store, which is in use: ${error.holder ?? 'another process has it'}`);
      isWaiting = true;
    }
  }
}
