import { Joined } from '../cluster/joined.js';
import { refuse } from '../refuse.js';
import type { Config } from '../settings/config.js';
import { serve } from './serve.js';

/** Runs a process that another one of this start has begun. */
export async function serveAsMember(config: Config): Promise<void> {
  let joined: Joined;
  try {
    joined = await Joined.join();
  } catch (error) {
    return refuse(error);
  }
  await serve(joined.configured(config), joined);
}
