import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a channel key is authenticated. */
    caller: ChannelCaller;
  }
}

export function channelScope({ account, channel }: ChannelCaller): { accountId: string; channelId: string } {
  return { accountId: account.id, channelId: channel.id };
}
