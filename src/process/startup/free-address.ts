import { alreadyRunning } from '../../platform/embedded/ownership/folder-lock.js';
import { urlOfRunning } from '../../platform/embedded/running.js';
import { ListenError, tryListening } from '../listening.js';
import type { Config } from '../settings/config.js';

/**
 * Checks that the server can listen. When the port is in use because Heliograph already runs with this data folder, the error
 * says so.
 * @throws {StartError}
 */
export async function expectFreeAddress(config: Config): Promise<void> {
  try {
    await tryListening(config);
  } catch (error) {
    const mayRunHere = error instanceof ListenError && error.isAddressInUse && config.databaseUrl === undefined;
    if (mayRunHere && (await urlOfRunning(config.dataDir))) throw await alreadyRunning(config.dataDir);
    throw error;
  }
}
