import type { ChannelKey } from '../../accounts/channel-authenticator.js';
import { deriveDigits } from '../../features/channels/graph-ids.js';

/** What Meta calls an app is a key here: it has an id, which stays as long as the key. */
export function appIdOf({ keyId }: Pick<ChannelKey, 'keyId'>): string {
  return deriveDigits('app', keyId);
}

export const APP_NAME = 'Heliograph';
