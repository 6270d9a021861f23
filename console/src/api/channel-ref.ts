/** Identifies a channel in API paths. */
export interface ChannelRef {
  accountId: string;
  channelId: string;
}
