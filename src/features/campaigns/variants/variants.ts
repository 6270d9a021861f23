import type { CampaignContent, TemplateContent, TextContent } from '../message/content.js';

export interface CampaignVariant {
  /** In percent. The shares of all variants add up to 100. */
  share: number;
  content: CampaignContent;
}

/** Variant B, C or D. A text gets the opt-out line of the campaign. */
export interface FurtherVariant {
  /** In percent. */
  share: number;
  content: TemplateContent | Pick<TextContent, 'type' | 'text'>;
}

export const CRITERIA = ['delivered', 'read', 'replied', 'clicked'] as const;
export type Criterion = (typeof CRITERIA)[number];

export interface VariantTest {
  /** Percentage of the members who get one of the variants. The remaining members get the winner. */
  share: number;
  criterion: Criterion;
  /** From the last message of the test to the choice of the winner. */
  minutes: number;
}

export const MAX_VARIANTS = 4;

export type WinnerReason = 'most' | 'tie' | 'no_events';

export interface Winner {
  variant: number;
  reason: WinnerReason;
}

export interface VariantEvents {
  variant: number;
  /** At least 1. */
  messages: number;
  events: number;
}

/** `A` for 0. */
export function getVariantName(variant: number): string {
  return String.fromCharCode(65 + variant);
}

/**
 * The variant with the highest share of events wins. On a tie, or without any events, variant A wins: SMS, for example, has no
 * read receipts.
 */
export function chooseWinner(counts: readonly VariantEvents[]): Winner {
  if (counts.every(({ events }) => events === 0)) return { variant: 0, reason: 'no_events' };
  // Cross-multiplication compares the shares exactly.
  const compare = (a: VariantEvents, b: VariantEvents) => b.events * a.messages - a.events * b.messages;
  const [best, second] = [...counts].sort(compare) as [VariantEvents, VariantEvents?];
  const isTie = second !== undefined && compare(best, second) === 0;
  return isTie ? { variant: 0, reason: 'tie' } : { variant: best.variant, reason: 'most' };
}

/**
 * Returns one variant for each of `count` members in random order. The number of members of each variant differs from its
 * exact share by less than one.
 * @param random from 0 (inclusive) to 1 (exclusive)
 */
export function dealVariants(shares: readonly number[], count: number, random = Math.random): number[] {
  const offset = random();
  const dealt = Array.from({ length: count }, (_, index) => findVariant(shares, ((index + offset) / count) * 100));
  for (let index = count - 1; index > 0; index--) {
    const otherIndex = Math.floor(random() * (index + 1));
    [dealt[index], dealt[otherIndex]] = [dealt[otherIndex] as number, dealt[index] as number];
  }
  return dealt;
}

/** @param position from 0 to 100 along the variants' shares */
function findVariant(shares: readonly number[], position: number): number {
  let end = 0;
  const variant = shares.findIndex((share) => {
    end += share;
    return position < end;
  });
  return variant === -1 ? shares.length - 1 : variant;
}
