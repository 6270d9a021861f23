export interface ChannelRef {
  accountId: string;
  channelId: string;
}
