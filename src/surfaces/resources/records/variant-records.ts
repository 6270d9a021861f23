import type { CountedCampaign } from '../../../features/campaigns/campaigns.js';
import { toContentRow } from '../../../features/campaigns/message/content.js';
import {
  type CampaignVariant,
  getVariantName,
  type VariantTest,
  type WinnerReason,
} from '../../../features/campaigns/variants/variants.js';
import { iso } from '../../http/schemas/values.js';

export function variantFields(
  campaign: Pick<CountedCampaign, 'variants' | 'test' | 'testEndsAt' | 'winner' | 'winnerReason'>,
) {
  const variants = (campaign.variants ?? []) as unknown as CampaignVariant[];
  return {
    variants: variants.map(({ share, content }, index) => {
      const { templateName, language, text } = toContentRow(content);
      return { variant: getVariantName(index), share, templateName, language, text };
    }),
    test: campaign.test as unknown as VariantTest | null,
    testEndsAt: iso(campaign.testEndsAt),
    winner: campaign.winner === null ? null : getVariantName(campaign.winner),
    winnerReason: campaign.winnerReason as WinnerReason | null,
  };
}
