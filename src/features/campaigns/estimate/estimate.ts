import { readBalance } from '../../../accounts/accounts.js';
import type { Pricer } from '../../../messages/accept/estimate.js';
import { buildDestinationCheck } from '../../../messages/accept/guard/destinations.js';
import type { ChannelSender, ComposedMessage } from '../../conversations/sending/compose.js';
import { createShortener } from '../../links/shortening/base.js';
import type { Shortener } from '../../links/shortening/shorten-text.js';
import { type CampaignStores, type CheckOptions, checkCampaign, type NewCampaign } from '../campaigns.js';
import type { CampaignContent } from '../message/content.js';
import { findMessagedContacts } from '../message/earlier-messages-store.js';
import { prepareMessage } from '../message/member-message.js';
import { readMemberVariables } from '../message/variables-store.js';
import { type CountryEstimate, CountryTotals, type ExpensiveMessage } from './country-totals.js';
import { readMembers } from './members.js';
import type { EstimatedMember } from './members-store.js';

/** Estimate for a campaign that starts now, at current prices. */
export interface CampaignEstimate {
  members: number;
  /** Members for whom a parameter would be empty, or whom the template cannot reach. */
  passedOver: number;
  /** Members refused by the account's spending guard. */
  refused: number;
  /** Members who opted out, so that their messages would be refunded instead of sent. */
  optedOut: number;
  messages: number;
  /** Null on WhatsApp. `gsm7` and `ucs2` count the messages in each encoding. */
  sms: { segments: number; gsm7: number; ucs2: number } | null;
  /** Most messages first. */
  countries: CountryEstimate[];
  totalMicros: bigint;
  balanceMicros: bigint;
  currency: string;
  /** Null without recipients. */
  sample: { phone: string | null; name: string; body: string } | null;
  /** The first of the recipients whose message costs most. Null without recipients. */
  mostExpensive: ExpensiveMessage | null;
}

type EstimateOptions = CampaignStores & CheckOptions & { acceptor: Pricer; publicUrl: string };

/**
 * With variants, the estimate is for the variant that would cost most if all members got it, because members are assigned at
 * random.
 * @throws {AppError} as `createCampaign`
 */
export async function estimateCampaign(
  deps: EstimateOptions,
  sender: ChannelSender,
  campaign: NewCampaign,
): Promise<CampaignEstimate> {
  const { content, variants, shortenLinks } = await checkCampaign(deps, sender, campaign);
  const { pool, publicUrl } = deps;
  const shortener = shortenLinks ? await createShortener(pool, { accountId: sender.account.id, publicUrl }) : null;
  let estimate = await estimateContent(deps, sender, campaign, { content, shortener });
  for (const { content: other } of variants?.slice(1) ?? []) {
    const next = await estimateContent(deps, sender, campaign, { content: other, shortener });
    if (next.totalMicros > estimate.totalMicros) estimate = next;
  }
  return estimate;
}

async function estimateContent(
  deps: EstimateOptions,
  sender: ChannelSender,
  campaign: NewCampaign,
  { content, shortener }: { content: CampaignContent; shortener: Omit<Shortener, 'origins'> | null },
): Promise<CampaignEstimate> {
  const prepared = await prepareMessage(deps, sender, content, campaign.variables, shortener);
  const findVariables = await readMemberVariables(deps.pool, sender.channel.id, campaign.memberVariables);

  const counts = { members: 0, passedOver: 0, refused: 0, optedOut: 0, messages: 0 };
  const checkDestination = await buildDestinationCheck(sender.account);
  const totals = new CountryTotals(sender);
  let sample: { member: EstimatedMember; message: ComposedMessage } | null = null;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  for await (const batch of readMembers(deps, sender.channel, scope, campaign.recipients)) {
    counts.members += batch.length;
    const ids = batch.map(({ id }) => id);
    const messaged = prepared.needsEarlierMessages ? await findMessagedContacts(deps.pool, ids) : null;
    for (const member of batch) {
      const isFirst = messaged !== null && !messaged.has(member.id);
      const message = prepared.compose(member, { variables: findVariables(member), isFirst });
      if (!message) counts.passedOver += 1;
      else if (checkDestination && checkDestination(member.address ?? '') !== null) counts.refused += 1;
      else if (member.optedOut) counts.optedOut += 1;
      else {
        sample ??= { member, message };
        counts.messages += 1;
        totals.add(member, message);
      }
    }
  }
  const { balanceMicros, currency } = await readBalance(deps, scope.accountId);
  const { countries, mostExpensive } = await totals.price(deps.acceptor);
  return {
    ...counts,
    sms: totals.sms,
    countries,
    totalMicros: countries.reduce((sum, { totalMicros }) => sum + totalMicros, 0n),
    balanceMicros,
    currency,
    sample: sample && { phone: sample.member.phone, name: sample.member.name, body: sample.message.body },
    mostExpensive,
  };
}
