import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request, and on behalf of which channel; set once a key of that channel is known. */
    caller: ChannelCaller;
  }
}

/** The channel of a caller, and its account: what every query on behalf of a channel is limited to. */
export function scopeOf({ account, channel }: ChannelCaller): { accountId: string; channelId: string } {
  return { accountId: account.id, channelId: channel.id };
}
