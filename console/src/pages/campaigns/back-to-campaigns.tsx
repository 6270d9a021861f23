import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';

export function BackToCampaigns({ channelRef }: { channelRef: ChannelRef }) {
  return (
    <TextLink
      to="/a/$accountId/campaigns"
      params={{ accountId: channelRef.accountId }}
      search={{ channel: channelRef.channelId }}
    >
      {text.campaigns.back}
    </TextLink>
  );
}
