import type { ChannelKey } from '../../accounts/channel-authenticator.js';
import { deriveDigits } from '../../features/channels/graph-ids.js';

/** The key's ID in place of an app ID: Meta's apps correspond to our keys. It stays the same as long as the key exists. */
export function toAppId({ keyId }: Pick<ChannelKey, 'keyId'>): string {
  return deriveDigits('app', keyId);
}

export const APP_NAME = 'Heliograph';
