import { PrimaryLink } from '../cluster/primary-link.js';
import { refuseStart } from '../refuse.js';
import type { Config } from '../settings/config.js';
import { serve } from './serve.js';

/** Runs a member of a cluster, a process that the primary process has started. */
export async function serveAsMember(config: Config): Promise<void> {
  let link: PrimaryLink;
  try {
    link = await PrimaryLink.connect();
  } catch (error) {
    return refuseStart(error);
  }
  await serve(link.applySharedSettings(config), link);
}
