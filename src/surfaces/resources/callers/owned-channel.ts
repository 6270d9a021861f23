import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import type { ChannelSettings } from '../../../carriers/channel-settings.js';
import type { OwnedChannel } from '../../../features/channels/call-carrier.js';

export function toOwnedChannel({ account, channel }: ChannelCaller): OwnedChannel {
  const { id, kind, phoneNumber, carrier, carrierSettings } = channel;
  return {
    id,
    kind,
    phoneNumber,
    carrier,
    carrierSettings: carrierSettings as ChannelSettings | null,
    accountId: account.id,
  };
}
