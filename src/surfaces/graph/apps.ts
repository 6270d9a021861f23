import type { ChannelKey } from '../../accounts/channel-authenticator.js';
import { deriveDigits } from '../../features/channels/graph-ids.js';

/** Meta's apps correspond to our keys, so the key's ID serves as app ID. */
export function toAppId({ keyId }: Pick<ChannelKey, 'keyId'>): string {
  return deriveDigits('app', keyId);
}

export const APP_NAME = 'Heliograph';
