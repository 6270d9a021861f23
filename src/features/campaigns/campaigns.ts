import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { findResultId, reserveKey } from '../../accounts/idempotency/idempotency-store.js';
import type { TemplateComponent } from '../../carriers/content.js';
import { givenComponents } from '../../messages/compose/template/given-components.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { type Campaign, CampaignStatus, type Prisma } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type ChannelSender, composeTemplate, type TemplateChoice } from '../conversations/sending/compose.js';
import { sampleComponents } from '../placeholders/placeholders.js';
import { countForList, countNow, type MessageCounts } from './counts.js';
import { insertCampaign } from './insert-store.js';
import { type CampaignVariables, checkPlaceholders } from './values.js';
import { insertMemberVariables } from './values-store.js';

/** What a campaign is to those who ask: the store keeps `paused` beside the status that it interrupts. */
export type CampaignState = CampaignStatus | 'paused';

/** The states that a campaign may have. */
export const CAMPAIGN_STATES: readonly CampaignState[] = [...Object.values(CampaignStatus), 'paused'];

/** The state of a campaign as it is stored. */
export function stateOf({ status, pausedAt }: Pick<Campaign, 'status' | 'pausedAt'>): CampaignState {
  return pausedAt ? 'paused' : status;
}

export interface NewCampaign extends TemplateChoice, CampaignVariables {
  name: string;
  /** A UUID. */
  groupId: string;
  /** Business time at which it begins; null or past: at once. */
  scheduledAt: Date | null;
}

/** A campaign and how many of its messages are in each status. */
export type CountedCampaign = Campaign & { messages: MessageCounts };

/** The group of a campaign as it is now. */
export interface GroupOfCampaign {
  name: string;
  contactCount: number;
}

/** A campaign with its group; null once that is deleted. */
export type CampaignOfGroup = CountedCampaign & { group: GroupOfCampaign | null };

/** The store, as the hot paths and as ordinary reads reach it. */
export interface CampaignStores {
  pool: Connection;
  prisma: Prisma.TransactionClient;
}

/** What a caller sees of a channel: nothing of another account or channel. */
export interface Scope {
  accountId: string;
  channelId: string;
}

/** Farthest moment for which a campaign can be scheduled. */
const MAX_WAIT_MS = 366 * 24 * 60 * 60 * 1000;

/**
 * Makes a campaign; a runner begins it when it is due.
 * @returns the campaign, and whether an earlier request with the same idempotency key made it
 * @throws {AppError} NOT_FOUND for an unknown template or group; INVALID_REQUEST for a template that is not APPROVED,
 * parameters that do not fit it, a placeholder that stands for nothing, or a time too far ahead; IDEMPOTENCY_MISMATCH
 */
export async function createCampaign(
  deps: CampaignStores & { clock: Clock },
  sender: ChannelSender,
  campaign: NewCampaign,
  claim: IdempotencyKey | null,
): Promise<{ campaign: CountedCampaign; replayed: boolean }> {
  const { pool, clock } = deps;
  const { memberVariables } = campaign;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const now = clock.now();
  const made = claim && (await findResultId(pool, scope.accountId, claim, now));
  if (made) return { campaign: await getCampaign(deps, scope, made), replayed: true };

  const { components, group } = await checkCampaign(deps, sender, campaign);

  const id = newId();
  const won = await within(pool, async (client) => {
    if (claim && !(await reserveKey(client, scope.accountId, claim, id, now))) return false;
    const row = { ...campaign, id, ...scope, components, groupId: group.id, createdAt: now };
    const hasVariables = memberVariables.length > 0 || Object.keys(campaign.variables).length > 0;
    await insertCampaign(client, { ...row, variables: hasVariables ? campaign.variables : null });
    await insertMemberVariables(client, id, memberVariables);
    return true;
  });
  const standing = won ? id : await findResultId(pool, scope.accountId, claim as IdempotencyKey, now);
  return { campaign: await getCampaign(deps, scope, standing as string), replayed: !won };
}

/**
 * Checks a campaign that is to be made; nothing is stored.
 * @returns its components as they are stored, and its group
 * @throws {AppError} as `createCampaign`
 */
export async function checkCampaign(
  { prisma, clock }: Pick<CampaignStores, 'prisma'> & { clock: Clock },
  sender: ChannelSender,
  campaign: NewCampaign,
): Promise<{ components: TemplateComponent[]; group: { id: string } }> {
  const components = givenComponents(campaign.components ?? []);
  checkPlaceholders(components, campaign);
  await composeTemplate({ prisma }, sender, { ...campaign, components: sampleComponents(components) });
  const where = { id: campaign.groupId, accountId: sender.account.id, channelId: sender.channel.id };
  const group = await prisma.contactGroup.findFirst({ where, select: { id: true } });
  if (!group) throw new AppError('NOT_FOUND', 'There is no group with this groupId.');
  if (campaign.scheduledAt && campaign.scheduledAt.getTime() > clock.now().getTime() + MAX_WAIT_MS) {
    throw invalidField('scheduledAt', 'must not be more than 366 days ahead');
  }
  return { components, group };
}

/**
 * One campaign with its messages as they are now.
 * @throws {AppError} NOT_FOUND when the channel has no such campaign
 */
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

/** @throws {AppError} NOT_FOUND when the channel has no such campaign */
export async function requireCampaign(prisma: Prisma.TransactionClient, scope: Scope, id: string): Promise<Campaign> {
  const campaign = await prisma.campaign.findFirst({ where: { id, ...scope } });
  if (!campaign) throw new AppError('NOT_FOUND', 'There is no campaign with this id.');
  return campaign;
}

/** A page of campaigns, the newest first. A status that does not exist finds none. */
export async function listCampaigns(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ campaigns: CountedCampaign[]; total: number }> {
  const wanted = status === undefined ? {} : inState(status);
  if (wanted === null) return { campaigns: [], total: 0 };
  const where = { ...scope, ...wanted };
  const [total, campaigns] = await Promise.all([
    prisma.campaign.count({ where }),
    prisma.campaign.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
  ]);
  const counts = await countForList(pool, { accountId: scope.accountId, campaignIds: campaigns.map(({ id }) => id) });
  return { campaigns: campaigns.map((each) => ({ ...each, messages: counts.get(each.id) as MessageCounts })), total };
}

/** Campaigns that are older than one, the newest first, with their groups as far as these are there. */
export async function pageOfCampaigns(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<CampaignOfGroup[]> {
  const wanted = status === undefined ? {} : inState(status);
  if (wanted === null) return [];
  const where = { ...scope, ...wanted, ...(before !== null && { id: { lt: before } }) };
  const campaigns = await prisma.campaign.findMany({ where, orderBy: { id: 'desc' }, take: limit });
  const [counts, groups] = await Promise.all([
    countForList(pool, { accountId: scope.accountId, campaignIds: campaigns.map(({ id }) => id) }),
    groupsOf(prisma, scope, campaigns),
  ]);
  return campaigns.map((each) => ({
    ...each,
    messages: counts.get(each.id) as MessageCounts,
    group: groups.get(each.groupId) ?? null,
  }));
}

/** The groups of campaigns, by their ids; those that were deleted are not in it. */
export async function groupsOf(
  prisma: Prisma.TransactionClient,
  scope: Scope,
  campaigns: readonly Pick<Campaign, 'groupId'>[],
): Promise<Map<string, GroupOfCampaign>> {
  const ids = [...new Set(campaigns.map(({ groupId }) => groupId))];
  const groups = await prisma.contactGroup.findMany({ where: { ...scope, id: { in: ids } } });
  return new Map(groups.map(({ id, name, contactCount }) => [id, { name, contactCount }]));
}

/** What finds the campaigns of a state; null when there is no such state. */
function inState(text: string): Prisma.CampaignWhereInput | null {
  const state = CAMPAIGN_STATES.find((each) => each === text.toLowerCase());
  if (!state) return null;
  return state === 'paused' ? { pausedAt: { not: null } } : { status: state, pausedAt: null };
}
