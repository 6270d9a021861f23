import { alreadyRunning } from '../../platform/embedded/ownership/folder-lock.js';
import { urlOfRunning } from '../../platform/embedded/running.js';
import { ListenError, tryListening } from '../listening.js';
import type { Config } from '../settings/config.js';

/** A second start with the same settings fails on the port as well; that the data folder is in use says more. */
export async function expectFreeAddress(config: Config): Promise<void> {
  try {
    await tryListening(config);
  } catch (error) {
    const servesHere = error instanceof ListenError && error.taken && config.databaseUrl === undefined;
    if (servesHere && (await urlOfRunning(config.dataDir))) throw await alreadyRunning(config.dataDir);
    throw error;
  }
}
