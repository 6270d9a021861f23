import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key's account and channel; set once a channel key is authenticated. */
    caller: ChannelCaller;
  }
}

/** The IDs that limit every query of a channel key. */
export function channelScope({ account, channel }: ChannelCaller): { accountId: string; channelId: string } {
  return { accountId: account.id, channelId: channel.id };
}
