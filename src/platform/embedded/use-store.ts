import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AlreadyRunningError, startEmbeddedPostgres } from './embedded-postgres.js';
import { readHolder } from './ownership/folder-lock.js';
import { findRunningUrl } from './running-url.js';

const WAIT_MS = 60_000;

export interface OpenedStore {
  url: string;
  /** False if the store was started only for this command. */
  isServed: boolean;
  close(): Promise<void>;
}

/**
 * Waits while another command runs the store, because the store stops when that command ends. Throws an AlreadyRunningError if
 * another process uses the folder but its store cannot be reached.
 */
export async function openEmbeddedStore(options: { dataDir: string; log: Logger }): Promise<OpenedStore> {
  const { dataDir, log } = options;
  let isWaiting = false;
  for (const deadline = performance.now() + WAIT_MS; ; await pause(100)) {
    const url = await findRunningUrl(dataDir);
    if (url && (await readHolder(dataDir))?.kind !== 'command') {
      return { url, isServed: true, close: async () => undefined };
    }
    try {
      const postgres = await startEmbeddedPostgres({ dataDir, log, usedBy: { kind: 'command' } });
      return { url: postgres.url, isServed: false, close: () => postgres.close() };
    } catch (error) {
      if (!(error instanceof AlreadyRunningError) || performance.now() > deadline) throw error;
      if (!isWaiting) log.warn(`Waiting for the store, which is in use by ${error.holder ?? 'another process'}`);
      isWaiting = true;
    }
  }
}
