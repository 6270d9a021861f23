import { createAlreadyRunningError } from '../../platform/embedded/ownership/folder-lock.js';
import { findRunningUrl } from '../../platform/embedded/running-url.js';
import { ListenError, tryListening } from '../listening.js';
import type { Config } from '../settings/config.js';

/**
 * If the port is in use because Heliograph already runs with this data folder, the error says so.
 * @throws {StartError}
 */
export async function expectFreeAddress(config: Config): Promise<void> {
  try {
    await tryListening(config);
  } catch (error) {
    const mayRunHere = error instanceof ListenError && error.isAddressInUse && config.databaseUrl === undefined;
    if (mayRunHere && (await findRunningUrl(config.dataDir))) throw await createAlreadyRunningError(config.dataDir);
    throw error;
  }
}
