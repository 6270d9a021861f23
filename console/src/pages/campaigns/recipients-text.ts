import type { Campaign } from '../../api/campaigns.js';
import { text } from '../../text/en.js';
import { formatNumber } from '../../ui/values/numbers.js';

/** The name of the only group, or how many groups, audiences and numbers there are. */
export function formatRecipients({
  groupId,
  groupName,
  groupIds,
  audienceIds,
  listedCount,
}: Pick<Campaign, 'groupId' | 'groupName' | 'groupIds' | 'audienceIds' | 'listedCount'>): string {
  const words = text.campaigns;
  if (groupId !== null) return groupName ?? words.groupDeleted;
  return words.recipientSources(groupIds.length, audienceIds.length, formatNumber(listedCount));
}
