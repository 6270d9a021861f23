import type { Static } from '@sinclair/typebox';
import { type CountedCampaign, getCampaignState, type NewCampaign } from '../../../features/campaigns/campaigns.js';
import { toMemberKey } from '../../../features/campaigns/message/variables-store.js';
import type { RecipientSources } from '../../../features/campaigns/recipients/sources.js';
import type { CampaignRecipient } from '../../../features/campaigns/results/recipients.js';
import { getVariantName } from '../../../features/campaigns/variants/variants.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { parseTimestamp } from '../../../platform/timestamps.js';
import { bodyId, uniqueIds } from '../../http/ids.js';
import { iso } from '../../http/schemas/values.js';
import { readPerson } from '../people/people.js';
import type { CampaignBody } from './campaign-schemas.js';
import { requireVariableNames } from './variables.js';
import { variantFields } from './variant-records.js';

/** @throws {AppError} INVALID_REQUEST for a violation that the schema cannot express */
export function readCampaign(body: Static<typeof CampaignBody>, kind: 'sms' | 'whatsapp' = 'whatsapp'): NewCampaign {
  const { variables = {}, memberVariables = [], scheduledAt, variants = [], test = null } = body;
  const name = body.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  requireVariableNames(variables, 'variables');
  const seenKeys = new Set<string>();
  const members = memberVariables.map(({ phone, userId, contactId, variables: memberValues }, index) => {
    const field = `memberVariables[${index}]`;
    const person = readPerson({ phone, userId, contactId }, `${field}.`);
    const key = toMemberKey(person);
    if (seenKeys.has(key))
      throw invalidField(`${field}.${Object.keys(person)[0]}`, 'must not appear in the list twice');
    seenKeys.add(key);
    requireVariableNames(memberValues, `${field}.variables`);
    return { ...person, variables: memberValues };
  });
  return {
    name,
    content: readContent(body, kind),
    variables,
    memberVariables: members,
    furtherVariants: variants.map((variant, index) => ({
      share: variant.share,
      content: readContent(variant, kind, `variants[${index}].`),
    })),
    test,
    shortenLinks: body.shortenLinks ?? null,
    recipients: readSources(body),
    scheduledAt: scheduledAt === undefined ? null : parseTimestamp(scheduledAt, 'scheduledAt'),
  };
}

function readSources({ groupId, groupIds = [], audienceIds = [], recipients = [] }: SourcesBody): RecipientSources {
  const only = groupId === undefined ? [] : [bodyId(groupId, 'groupId')];
  return {
    groupIds: uniqueIds([...only, ...groupIds]),
    audienceIds: uniqueIds(audienceIds),
    phones: [...new Set(recipients)],
  };
}

type SourcesBody = Pick<Static<typeof CampaignBody>, 'groupId' | 'groupIds' | 'audienceIds' | 'recipients'>;
type Content = NewCampaign['content'];
type ContentBody = Partial<
  Pick<Static<typeof CampaignBody>, 'templateName' | 'language' | 'components' | 'text' | 'optOutLine'>
>;

const TEMPLATE_FIELDS = ['templateName', 'language', 'components'] as const;
const TEXT_FIELDS = ['text', 'optOutLine'] as const;

/** @param path prefix of the fields in errors */
function readContent(body: ContentBody, kind: 'sms' | 'whatsapp', path = ''): Content {
  return kind === 'sms' ? readText(body, path) : readTemplate(body, path);
}

function readText(body: ContentBody, path: string): Content {
  const field = TEMPLATE_FIELDS.find((each) => body[each] !== undefined);
  if (field) throw invalidField(`${path}${field}`, 'must not be sent on an SMS channel, which sends a text');
  if (body.text === undefined) throw invalidField(`${path}text`, 'is required on an SMS channel');
  return { type: 'text', text: body.text, optOutLine: body.optOutLine };
}

function readTemplate(body: ContentBody, path: string): Content {
  const { templateName, language, components = [] } = body;
  const field = TEXT_FIELDS.find((each) => (body[each] ?? null) !== null);
  if (field) throw invalidField(`${path}${field}`, 'must not be sent on a WhatsApp channel, which sends a template');
  if (templateName === undefined) throw invalidField(`${path}templateName`, 'is required on a WhatsApp channel');
  if (language === undefined) throw invalidField(`${path}language`, 'is required on a WhatsApp channel');
  return { type: 'template', templateName, language, components };
}

export function campaignRecord(campaign: CountedCampaign) {
  const {
    id,
    name,
    templateName,
    language,
    text,
    optOutLine,
    shortenLinks,
    groupId,
    groupIds,
    audienceIds,
    listedCount,
    messageCount,
    skippedCount,
    refusedCount,
    cappedCount,
  } = campaign;
  return {
    id,
    name,
    status: getCampaignState(campaign),
    templateName,
    language,
    text,
    optOutLine,
    shortenLinks,
    groupId,
    groupIds: groupId === null ? groupIds : [groupId],
    audienceIds,
    listedCount,
    messageCount,
    skippedCount,
    refusedCount,
    cappedCount,
    counts: campaign.messages,
    ...variantFields(campaign),
    errorMessage: campaign.errorMessage,
    scheduledAt: iso(campaign.scheduledAt),
    startedAt: iso(campaign.startedAt),
    pausedAt: iso(campaign.pausedAt),
    completedAt: iso(campaign.completedAt),
    createdAt: campaign.createdAt.toISOString(),
  };
}

export function recipientRecord({ carrierMessageId, variant, ...recipient }: CampaignRecipient) {
  return {
    ...recipient,
    variant: variant === null ? null : getVariantName(variant),
    whatsappMessageId: carrierMessageId,
    createdAt: recipient.createdAt.toISOString(),
    sentAt: iso(recipient.sentAt),
    deliveredAt: iso(recipient.deliveredAt),
    readAt: iso(recipient.readAt),
    endedAt: iso(recipient.endedAt),
  };
}
