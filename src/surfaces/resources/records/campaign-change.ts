import { type Static, Type } from '@sinclair/typebox';
import type { NewCampaign } from '../../../features/campaigns/campaigns.js';
import type { EditableCampaign } from '../../../features/campaigns/edit/edit.js';
import { readContent, toContentRow } from '../../../features/campaigns/message/content.js';
import type { CampaignVariant, VariantTest } from '../../../features/campaigns/variants/variants.js';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { iso } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { readCampaign } from './campaign-records.js';
import { CampaignBody } from './campaign-schemas.js';

const { scheduledAt: _, ...fields } = CampaignBody.properties;

export const CampaignChange = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    scheduledAt: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'The new start time: ISO 8601 with a time zone. Null: the campaign starts at once.',
        examples: ['2026-12-01T08:00:00.000Z'],
        [RULE]: `must be null, or ${TIMESTAMP_RULE.replace(/^must be /, '')}`,
      }),
    ),
  },
  {
    description:
      'The fields to change. Lists are replaced as a whole. `variants` and `test` are replaced together: without `test`, there is none. So are `groupId`, `groupIds`, `audienceIds` and `recipients`.',
    examples: [{ name: 'Summer sale', scheduledAt: '2026-12-01T08:00:00.000Z' }],
  },
);

/** A change of one replaces all. */
const RECIPIENT_FIELDS = ['groupId', 'groupIds', 'audienceIds', 'recipients'] as const;

type Body = Static<typeof CampaignBody>;

/** @throws {AppError} INVALID_REQUEST as `readCampaign` */
export function applyCampaignChange(
  campaign: EditableCampaign,
  { scheduledAt, ...change }: Static<typeof CampaignChange>,
  kind: 'sms' | 'whatsapp' = 'whatsapp',
): NewCampaign {
  const start = scheduledAt === undefined ? iso(campaign.scheduledAt) : scheduledAt;
  const replacesVariants = change.variants !== undefined || change.test !== undefined;
  const body = {
    name: campaign.name,
    ...toContentBody(readContent(campaign)),
    shortenLinks: campaign.shortenLinks,
    ...(!RECIPIENT_FIELDS.some((field) => change[field] !== undefined) && toRecipientsBody(campaign)),
    variables: campaign.variables ?? {},
    memberVariables: campaign.memberVariables,
    ...(!replacesVariants && toVariantsBody(campaign)),
    ...change,
    ...(start !== null && { scheduledAt: start }),
  } as Body;
  return readCampaign(body, kind);
}

function toRecipientsBody({ groupId, groupIds, audienceIds, listedPhones }: EditableCampaign) {
  return groupId === null ? { groupIds, audienceIds, recipients: listedPhones } : { groupId };
}

/** Omits the fields of the other kind of channel, which `readCampaign` would refuse. */
function toContentBody(content: CampaignVariant['content']) {
  const { templateName, language, components, text, optOutLine } = toContentRow(content);
  return content.type === 'text' ? { text, optOutLine } : { templateName, language, components };
}

function toVariantsBody({ variants, test }: EditableCampaign) {
  const further = ((variants ?? []) as unknown as CampaignVariant[]).slice(1).map(({ share, content }) => {
    const { optOutLine: _line, ...variant } = { optOutLine: null, ...toContentBody(content) };
    return { share, ...variant };
  });
  return { variants: further, ...(test !== null && { test: test as unknown as VariantTest }) };
}
