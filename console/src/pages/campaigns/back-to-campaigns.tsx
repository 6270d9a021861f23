import type { OfChannel } from '../../api/campaigns.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';

/** The way back from a campaign to the list. */
export function BackToCampaigns({ of }: { of: OfChannel }) {
  return (
    <TextLink to="/a/$accountId/campaigns" params={{ accountId: of.accountId }} search={{ channel: of.channelId }}>
      {text.campaigns.back}
    </TextLink>
  );
}
