import { PrimaryLink } from '../cluster/primary-link.js';
import { refuseStart } from '../refuse.js';
import type { Config } from '../settings/config.js';
import { serve } from './serve.js';

export async function serveAsMember(config: Config): Promise<void> {
  let link: PrimaryLink;
  try {
    link = await PrimaryLink.connect();
  } catch (error) {
    return refuseStart(error);
  }
  await serve(link.applySharedSettings(config), link);
}
