import { explainMessageError } from '../../../carriers/message-error-texts.js';
import type { MessageStatus } from '../../../messages/message-status.js';
import { toOptOutSender } from '../../../messages/send/checks/opted-out.js';
import type { Clock } from '../../../platform/clock.js';
import type { Campaign } from '../../../platform/generated/prisma/client.js';
import type { Reads } from '../../../platform/reads/reads.js';
import { requireCampaign, type Scope } from '../campaigns.js';
import {
  countByHour,
  countResponses,
  groupOutcomes,
  type HOURLY_EVENTS,
  type HourlyCount,
  type OutcomeGroup,
  type ResponseCounts,
  type VariantResponses,
} from './results-store.js';

export interface CampaignResults {
  funnel: Funnel;
  cost: Cost;
  byHour: HourResult[];
  /** Most messages first. */
  byCarrier: CarrierResult[];
  /** From A; empty without variants. */
  byVariant: VariantResult[];
  /** Most messages first. */
  byError: ErrorResult[];
  /** Until every recipient's message is sent, at the pace of the last minutes. Null unless the campaign is sending. */
  secondsLeft: number | null;
}

export interface Funnel extends ResponseCounts {
  recipients: number;
  sent: number;
  delivered: number;
  read: number;
}

/** In millionths of the currency unit. `totalMicros` equals the sum of the campaign's ledger entries. */
export interface Cost {
  chargedMicros: bigint;
  refundedMicros: bigint;
  totalMicros: bigint;
}

export type HourResult = { start: Date } & Record<(typeof HOURLY_EVENTS)[number], number>;

export interface CarrierResult {
  carrier: string;
  messages: number;
  sent: number;
  delivered: number;
  failed: number;
  cost: Cost;
}

export interface VariantResult extends ResponseCounts {
  variant: number;
  messages: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  cost: Cost;
}

export interface ErrorResult {
  code: string;
  /** One of the texts that the carrier sent with the code. */
  message: string | null;
  /** Null for unknown codes. */
  meaning: string | null;
  advice: string | null;
  messages: number;
}

const DELIVERED: readonly MessageStatus[] = ['delivered', 'read'];
const FAILED: readonly MessageStatus[] = ['failed', 'rejected', 'undelivered', 'expired'];
const UNSENT: readonly MessageStatus[] = ['queued', 'sending'];

/** The pace is measured over at most this time. */
const PACE_MS = 5 * 60_000;

/**
 * Computes the results from the campaign's messages, so messages that were deleted after their retention period are missing.
 * @throws {AppError} NOT_FOUND
 */
export async function readResults(
  { reads, clock }: { reads: Reads; clock: Clock },
  scope: Scope,
  id: string,
): Promise<{ results: CampaignResults; currency: string }> {
  const now = clock.now();
  return reads(async ({ pool, prisma }) => {
    const campaign = await requireCampaign(prisma, scope, id);
    const { account, ...channel } = await prisma.channel.findUniqueOrThrow({
      where: { id: scope.channelId },
      include: { account: { select: { currency: true } } },
    });
    const campaignRef = { accountId: scope.accountId, campaignId: id };
    const [outcomes, hours, responses] = await Promise.all([
      groupOutcomes(pool, campaignRef, new Date(now.getTime() - PACE_MS)),
      countByHour(pool, campaignRef),
      countResponses(pool, campaignRef, toOptOutSender(channel)),
    ]);
    const recipients = countRecipients(campaign);
    return {
      currency: account.currency,
      results: {
        funnel: {
          recipients,
          sent: sum(outcomes, ({ sent }) => sent),
          delivered: countMessages(outcomes, DELIVERED),
          read: countMessages(outcomes, ['read']),
          replied: responses.reduce((total, { replied }) => total + replied, 0),
          clicked: responses.reduce((total, { clicked }) => total + clicked, 0),
          optedOut: responses.reduce((total, { optedOut }) => total + optedOut, 0),
        },
        cost: sumCost(outcomes),
        byHour: toHours(hours),
        byCarrier: groupBy(outcomes, ({ carrier }) => carrier).map(([carrier, groups]) => ({
          carrier,
          messages: countMessages(groups),
          sent: sum(groups, ({ sent }) => sent),
          delivered: countMessages(groups, DELIVERED),
          failed: countMessages(groups, FAILED),
          cost: sumCost(groups),
        })),
        byVariant: listVariants(campaign, outcomes, responses),
        byError: listErrors(outcomes),
        secondsLeft: estimateSecondsLeft(campaign, { recipients, outcomes, now }),
      },
    };
  });
}

/** Members who left the group after the start have no message and are not recipients of a completed campaign. */
function countRecipients({ status, memberCount, ...counts }: Campaign): number {
  const handledCount = counts.messageCount + counts.skippedCount + counts.refusedCount + counts.cappedCount;
  return status === 'completed' ? handledCount : Math.max(handledCount, memberCount ?? 0);
}

function sumCost(groups: readonly OutcomeGroup[]): Cost {
  const total = (isIncluded: (group: OutcomeGroup) => boolean) =>
    groups.filter(isIncluded).reduce((micros, { priceMicros }) => micros + priceMicros, 0n);
  const [chargedMicros, refundedMicros] = [total(() => true), total(({ isRefunded }) => isRefunded)];
  return { chargedMicros, refundedMicros, totalMicros: chargedMicros - refundedMicros };
}

function toHours(counts: readonly HourlyCount[]): HourResult[] {
  const hours = new Map<number, HourResult>();
  for (const { hour, event, count } of counts) {
    const result = hours.get(hour.getTime()) ?? { start: hour, sent: 0, delivered: 0, read: 0, failed: 0 };
    result[event] = count;
    hours.set(hour.getTime(), result);
  }
  return [...hours.values()];
}

function listVariants(
  { variants }: Campaign,
  outcomes: readonly OutcomeGroup[],
  responses: readonly VariantResponses[],
): VariantResult[] {
  return ((variants ?? []) as unknown[]).map((_, variant) => {
    const groups = outcomes.filter((group) => group.variant === variant);
    const { replied = 0, clicked = 0, optedOut = 0 } = responses.find((each) => each.variant === variant) ?? {};
    return {
      variant,
      messages: countMessages(groups),
      sent: sum(groups, ({ sent }) => sent),
      delivered: countMessages(groups, DELIVERED),
      read: countMessages(groups, ['read']),
      replied,
      clicked,
      optedOut,
      failed: countMessages(groups, FAILED),
      cost: sumCost(groups),
    };
  });
}

function listErrors(outcomes: readonly OutcomeGroup[]): ErrorResult[] {
  const failures = outcomes.filter(({ status }) => FAILED.includes(status));
  return groupBy(failures, ({ errorCode }) => errorCode ?? '').map(([code, groups]) => {
    const { meaning = null, advice = null } = explainMessageError(code) ?? {};
    const message = groups.find(({ errorMessage }) => errorMessage !== null)?.errorMessage ?? null;
    return { code, message, meaning, advice, messages: countMessages(groups) };
  });
}

function estimateSecondsLeft(
  campaign: Campaign,
  { recipients, outcomes, now }: { recipients: number; outcomes: readonly OutcomeGroup[]; now: Date },
): number | null {
  const { status, pausedAt, messageCount, skippedCount, refusedCount, cappedCount } = campaign;
  if (status !== 'running' || pausedAt) return null;
  const handledCount = messageCount + skippedCount + refusedCount + cappedCount;
  const waiting = recipients - handledCount + countMessages(outcomes, UNSENT);
  const recentlySent = sum(outcomes, (group) => group.recentlySent);
  if (waiting === 0 || recentlySent === 0) return null;
  const from = Math.min(...outcomes.flatMap(({ recentlySentFrom }) => recentlySentFrom?.getTime() ?? []));
  const elapsedSeconds = Math.max(1, (now.getTime() - from) / 1000);
  return Math.ceil((waiting * elapsedSeconds) / recentlySent);
}

/** Groups with the most messages first. */
function groupBy(
  outcomes: readonly OutcomeGroup[],
  toKey: (group: OutcomeGroup) => string,
): [key: string, groups: OutcomeGroup[]][] {
  const byKey = new Map<string, OutcomeGroup[]>();
  for (const group of outcomes) byKey.set(toKey(group), [...(byKey.get(toKey(group)) ?? []), group]);
  return [...byKey].sort(([, a], [, b]) => countMessages(b) - countMessages(a));
}

function countMessages(groups: readonly OutcomeGroup[], statuses?: readonly MessageStatus[]): number {
  const counted = statuses ? groups.filter(({ status }) => statuses.includes(status)) : groups;
  return sum(counted, ({ messages }) => messages);
}

function sum(groups: readonly OutcomeGroup[], toNumber: (group: OutcomeGroup) => number): number {
  return groups.reduce((total, group) => total + toNumber(group), 0);
}
