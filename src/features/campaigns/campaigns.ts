import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { findResultId, reserveKey } from '../../accounts/idempotency/idempotency-store.js';
import { withoutNullFields } from '../../messages/compose/template/without-null-fields.js';
import type { Clock } from '../../platform/clock.js';
import { invalidField, notFound } from '../../platform/errors/app-error.js';
import { type Campaign, CampaignStatus, type Prisma } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import type { ChannelSender } from '../conversations/sending/compose.js';
import { readLinkSettings } from '../links/domain/settings.js';
import type { MediaLookup } from '../media/require-media.js';
import { countForList, countNow, type MessageCounts } from './counts.js';
import { insertCampaign } from './insert-store.js';
import type { CampaignContent } from './message/content.js';
import { checkContent, type MessageOptions } from './message/member-message.js';
import { findOptOutLine } from './message/opt-out-line.js';
import type { CampaignVariables } from './message/placeholder-check.js';
import { insertMemberVariables } from './message/variables-store.js';
import { insertListed } from './recipients/listed-store.js';
import { checkSources, type RecipientSources, toSourceColumns } from './recipients/sources.js';
import { checkVariants } from './variants/check.js';
import type { CampaignVariant, FurtherVariant, VariantTest } from './variants/variants.js';

/** A paused campaign keeps its status in the database and has `paused_at` set. */
export type CampaignState = CampaignStatus | 'paused';

export const CAMPAIGN_STATES: readonly CampaignState[] = [...Object.values(CampaignStatus), 'paused'];

export function getCampaignState({ status, pausedAt }: Pick<Campaign, 'status' | 'pausedAt'>): CampaignState {
  return pausedAt ? 'paused' : status;
}

export interface NewCampaign extends CampaignVariables {
  name: string;
  /** If `optOutLine` of a text is undefined, the account's line is used. */
  content: NewContent;
  /** Null: the setting of the account. */
  shortenLinks: boolean | null;
  recipients: RecipientSources;
  /** Business time. If null or in the past, the campaign starts immediately. */
  scheduledAt: Date | null;
  /** Variants B, C and D. The campaign's own template is variant A and gets the rest of the shares. */
  furtherVariants?: readonly FurtherVariant[];
  test?: VariantTest | null;
}

type NewContent =
  | Extract<CampaignContent, { type: 'template' }>
  | (Omit<Extract<CampaignContent, { type: 'text' }>, 'optOutLine'> & { optOutLine?: string | null | undefined });

export type CountedCampaign = Campaign & { messages: MessageCounts };

export interface CampaignGroup {
  name: string;
  contactCount: number;
}

export type CampaignWithGroup = CountedCampaign & { group: CampaignGroup | null };

export interface CampaignStores {
  pool: Connection;
  prisma: Prisma.TransactionClient;
}

/** Options of the checks of a new campaign. */
export type CheckOptions = MessageOptions & MediaLookup & CampaignStores & { clock: Clock };

export interface Scope {
  accountId: string;
  channelId: string;
}

const MAX_SCHEDULE_AHEAD_MS = 366 * 24 * 60 * 60 * 1000;

/**
 * Returns the campaign, and whether an earlier request with the same idempotency key created it.
 * @throws {AppError} IDEMPOTENCY_MISMATCH, or NOT_FOUND for an unknown template or group.
 * INVALID_REQUEST for a template that is not APPROVED, unsuitable parameters, a placeholder without a value, or a time
 * too far ahead
 */
export async function createCampaign(
  deps: CampaignStores & CheckOptions,
  sender: ChannelSender,
  campaign: NewCampaign,
  claim: IdempotencyKey | null,
): Promise<{ campaign: CountedCampaign; replayed: boolean }> {
  const { pool, clock } = deps;
  const { memberVariables } = campaign;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const now = clock.now();
  const earlierId = claim && (await findResultId(pool, scope.accountId, claim, now));
  if (earlierId) return { campaign: await getCampaign(deps, scope, earlierId), replayed: true };

  const { content, variants, shortenLinks } = await checkCampaign(deps, sender, campaign);

  const id = newId();
  const isNew = await withTransaction(pool, async (client) => {
    if (claim && !(await reserveKey(client, scope.accountId, claim, id, now))) return false;
    const test = campaign.test ?? null;
    const { phones } = campaign.recipients;
    const sources = toSourceColumns(campaign.recipients);
    const row = { ...campaign, id, ...scope, content, variants, test, shortenLinks, ...sources, createdAt: now };
    const hasVariables = memberVariables.length > 0 || Object.keys(campaign.variables).length > 0;
    await insertCampaign(client, { ...row, variables: hasVariables ? campaign.variables : null });
    await insertMemberVariables(client, id, memberVariables);
    await insertListed(client, id, { ...scope, kind: sender.channel.kind ?? 'whatsapp' }, { phones, now });
    return true;
  });
  const campaignId = isNew ? id : await findResultId(pool, scope.accountId, claim as IdempotencyKey, now);
  return { campaign: await getCampaign(deps, scope, campaignId as string), replayed: !isNew };
}

interface CheckedCampaign {
  content: CampaignContent;
  variants: CampaignVariant[] | null;
  shortenLinks: boolean;
}

/** @throws {AppError} as `createCampaign` */
export async function checkCampaign(
  options: CheckOptions,
  sender: ChannelSender,
  campaign: NewCampaign,
): Promise<CheckedCampaign> {
  const { prisma, clock } = options;
  const content = await completeContent(prisma, sender, campaign.content);
  await checkContent(options, sender, content, campaign);
  const variants = await checkVariants(options, sender, { ...campaign, content });
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  await checkSources(options, scope, campaign.recipients);
  if (campaign.scheduledAt && campaign.scheduledAt.getTime() > clock.now().getTime() + MAX_SCHEDULE_AHEAD_MS) {
    throw invalidField('scheduledAt', 'must not be more than 366 days ahead');
  }
  const shortenLinks = campaign.shortenLinks ?? (await readLinkSettings(prisma, sender.account.id)).isOn;
  return { content, variants, shortenLinks };
}

async function completeContent(
  prisma: CheckOptions['prisma'],
  { account }: ChannelSender,
  content: NewContent,
): Promise<CampaignContent> {
  if (content.type === 'template') return { ...content, components: withoutNullFields(content.components) };
  const { optOutLine = await findOptOutLine(prisma, account.id) } = content;
  return { ...content, optOutLine };
}

export async function getCampaign(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  id: string,
): Promise<CountedCampaign> {
  const campaign = await requireCampaign(prisma, scope, id);
  return {
    ...campaign,
    messages: (await countNow(pool, { accountId: scope.accountId, campaignIds: [id] })).get(id) as MessageCounts,
  };
}

export async function requireCampaign(prisma: Prisma.TransactionClient, scope: Scope, id: string): Promise<Campaign> {
  const campaign = await prisma.campaign.findFirst({ where: { id, ...scope } });
  if (!campaign) throw notFound('campaign');
  return campaign;
}

/** Lists the newest campaigns first, and none for an unknown status. */
export async function listCampaigns(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ campaigns: CountedCampaign[]; total: number }> {
  const filter = status === undefined ? {} : toStateFilter(status);
  if (filter === null) return { campaigns: [], total: 0 };
  const where = { ...scope, ...filter };
  const [total, campaigns] = await Promise.all([
    prisma.campaign.count({ where }),
    prisma.campaign.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  const counts = await countForList(pool, { accountId: scope.accountId, campaignIds: campaigns.map(({ id }) => id) });
  return { campaigns: campaigns.map((each) => ({ ...each, messages: counts.get(each.id) as MessageCounts })), total };
}

/** Newest first. */
export async function listCampaignsBefore(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<CampaignWithGroup[]> {
  const filter = status === undefined ? {} : toStateFilter(status);
  if (filter === null) return [];
  const where = { ...scope, ...filter, ...(before !== null && { id: { lt: before } }) };
  const campaigns = await prisma.campaign.findMany({ where, orderBy: { id: 'desc' }, take: limit });
  const [counts, groups] = await Promise.all([
    countForList(pool, { accountId: scope.accountId, campaignIds: campaigns.map(({ id }) => id) }),
    findGroups(prisma, scope, campaigns),
  ]);
  return campaigns.map((each) => ({
    ...each,
    messages: counts.get(each.id) as MessageCounts,
    group: groups.get(each.groupId ?? '') ?? null,
  }));
}

/** Omits deleted groups. */
export async function findGroups(
  prisma: Prisma.TransactionClient,
  scope: Scope,
  campaigns: readonly Pick<Campaign, 'groupId'>[],
): Promise<Map<string, CampaignGroup>> {
  const ids = [...new Set(campaigns.flatMap(({ groupId }) => groupId ?? []))];
  const groups = await prisma.contactGroup.findMany({ where: { ...scope, id: { in: ids } } });
  return new Map(groups.map(({ id, name, contactCount }) => [id, { name, contactCount }]));
}

function toStateFilter(text: string): Prisma.CampaignWhereInput | null {
  const state = CAMPAIGN_STATES.find((each) => each === text.toLowerCase());
  if (!state) return null;
  return state === 'paused' ? { pausedAt: { not: null } } : { status: state, pausedAt: null };
}
