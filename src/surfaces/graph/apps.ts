import type { ChannelKey } from '../../accounts/channel-authenticator.js';
import { deriveDigits } from '../../features/channels/graph-ids.js';

/** Meta's apps correspond to Heliograph's API keys, so the ID of the key serves as app ID. */
export function toAppId({ keyId }: Pick<ChannelKey, 'keyId'>): string {
  return deriveDigits('app', keyId);
}

export const APP_NAME = 'Heliograph';
