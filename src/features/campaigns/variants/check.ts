import { withoutNullFields } from '../../../messages/compose/template/without-null-fields.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { ChannelSender } from '../../conversations/sending/compose.js';
import type { MediaLookup } from '../../media/require-media.js';
import type { CampaignContent } from '../message/content.js';
import { checkContent, type MessageOptions } from '../message/member-message.js';
import type { CampaignVariables } from '../message/placeholder-check.js';
import type { CampaignVariant, FurtherVariant, VariantTest } from './variants.js';

interface VariantChoice extends CampaignVariables {
  content: CampaignContent;
  furtherVariants?: readonly FurtherVariant[];
  test?: VariantTest | null;
}

/**
 * Returns all variants, or null for a campaign with only one message.
 * @throws {AppError} as `checkContent`. INVALID_REQUEST if the shares leave nothing for variant A, or for a test without
 * variants
 */
export async function checkVariants(
  options: MessageOptions & MediaLookup,
  sender: ChannelSender,
  campaign: VariantChoice,
): Promise<CampaignVariant[] | null> {
  const { furtherVariants = [], test, content } = campaign;
  if (furtherVariants.length === 0) {
    if (test) throw invalidField('test', 'must not be sent without variants');
    return null;
  }
  const furtherShare = furtherVariants.reduce((sum, { share }) => sum + share, 0);
  if (furtherShare > 99) throw invalidField('variants', 'must have shares that add up to at most 99');
  const variants: CampaignVariant[] = [{ share: 100 - furtherShare, content }];
  for (const [index, variant] of furtherVariants.entries()) {
    const complete = completeContent(variant, content);
    try {
      await checkContent(options, sender, complete, campaign);
    } catch (error) {
      throw withFieldPrefix(error, `variants[${index}].`);
    }
    variants.push({ share: variant.share, content: complete });
  }
  return variants;
}

function completeContent({ content }: FurtherVariant, firstContent: CampaignContent): CampaignContent {
  if (content.type === 'template') return { ...content, components: withoutNullFields(content.components) };
  return { ...content, optOutLine: firstContent.type === 'text' ? firstContent.optOutLine : null };
}

function withFieldPrefix(error: unknown, prefix: string): unknown {
  if (!(error instanceof AppError) || error.fields.length === 0) return error;
  const fields = error.fields.map((problem) => ({ ...problem, field: `${prefix}${problem.field}` }));
  const message = fields.map(({ field, rule }) => `${field} ${rule}`).join('; ');
  return new AppError(error.code, message, fields, { cause: error });
}
