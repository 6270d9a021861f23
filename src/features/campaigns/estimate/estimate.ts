import { readBalance } from '../../../accounts/accounts.js';
import { callingCodeOf } from '../../../carriers/numbers/phone-numbers.js';
import type { Pricer } from '../../../messages/accept/estimate.js';
import { destinationJudge } from '../../../messages/accept/guard/destinations.js';
import type { Clock } from '../../../platform/clock.js';
import type { AddressedContact } from '../../conversations/sending/commit-to-contacts.js';
import {
  type ChannelSender,
  type ComposedMessage,
  channelRequest,
  fillTemplate,
  findSendable,
} from '../../conversations/sending/compose.js';
import { type CampaignStores, checkCampaign, type NewCampaign } from '../campaigns.js';
import { composerForMembers, isPersonal, reaches } from '../values.js';
import { readMemberVariables } from '../values-store.js';
import { type EstimatedMember, membersAfter } from './members-store.js';

/** Members that are looked at before others may use the event loop. */
const BATCH = 500;

/** What messages to one country are and cost. */
export interface CountryEstimate {
  /** Country calling code. */
  callingCode: string;
  messages: number;
  /** Of one message, in millionths of the currency unit. */
  priceMicros: bigint;
}

/** What a campaign would be and cost if it began now. */
export interface CampaignEstimate {
  /** Members of the group. */
  members: number;
  /** Those to whom a parameter would be empty, or whom the template cannot reach: they get no message. */
  passedOver: number;
  /** Those whom the guard of the account refuses: they get no message. */
  refused: number;
  /** Those who have opted out: their messages are not sent, and refunded. */
  optedOut: number;
  /** Messages that are sent. */
  messages: number;
  /** The most messages first. */
  countries: CountryEstimate[];
  /** Millionths of the currency unit. */
  totalMicros: bigint;
  balanceMicros: bigint;
  currency: string;
  /** What the first member to whom anything is sent would read; null without one. */
  sample: { phone: string | null; name: string; body: string } | null;
}

/**
 * Tells whom a campaign would reach, and what it would cost by the prices and with the balance of this moment. Nothing is
 * stored. It walks through the whole group, in the order of the campaign.
 * @throws {AppError} as `createCampaign`
 */
export async function estimateCampaign(
  deps: CampaignStores & { clock: Clock; acceptor: Pricer },
  sender: ChannelSender,
  campaign: NewCampaign,
): Promise<CampaignEstimate> {
  const { group, components } = await checkCampaign(deps, sender, campaign);
  const template = await findSendable(deps, sender, campaign);
  const ownOf = await readMemberVariables(deps.pool, sender.channel.id, campaign.memberVariables);
  const plain = isPersonal({ components }) ? null : fillTemplate(template, components);
  const compose = composerForMembers({ components, variables: campaign.variables }, template);
  const messageTo = (member: EstimatedMember) =>
    reaches(template, member) ? (plain ?? compose(member, ownOf(member))) : null;

  const counts = { members: 0, passedOver: 0, refused: 0, optedOut: 0, messages: 0 };
  const judge = await destinationJudge(sender.account);
  /** By calling code: how many messages, and where one of them goes. */
  const countries = new Map<string, { messages: number; address: string }>();
  let first: { member: EstimatedMember; message: ComposedMessage } | null = null;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  for (let after: string | null = null, batch: EstimatedMember[]; ; after = batch.at(-1)?.id ?? null) {
    batch = await membersAfter(deps.pool, scope, group.id, after, BATCH);
    counts.members += batch.length;
    for (const member of batch) {
      const message = messageTo(member);
      if (!message) counts.passedOver += 1;
      else if (judge && judge(member.address ?? '') !== null) counts.refused += 1;
      else if (member.optedOut) counts.optedOut += 1;
      else {
        first ??= { member, message };
        counts.messages += 1;
        const { address = '' } = member as AddressedContact;
        const code = callingCodeOf(address) ?? '';
        const country = countries.get(code) ?? { messages: 0, address };
        countries.set(code, { ...country, messages: country.messages + 1 });
      }
    }
    if (batch.length < BATCH) break;
  }
  const { balanceMicros, currency } = await readBalance(deps, scope.accountId);
  const priced = first ? await priceOf(deps.acceptor, sender, first.message, countries) : [];
  return {
    ...counts,
    countries: priced,
    totalMicros: priced.reduce((sum, { messages, priceMicros }) => sum + BigInt(messages) * priceMicros, 0n),
    balanceMicros,
    currency,
    sample: first && { phone: first.member.phone, name: first.member.name, body: first.message.body },
  };
}

/** The price follows from the calling code, so one number of each stands for all. */
async function priceOf(
  pricer: Pricer,
  sender: ChannelSender,
  message: ComposedMessage,
  countries: ReadonlyMap<string, { messages: number; address: string }>,
): Promise<CountryEstimate[]> {
  const entries = [...countries];
  const recipients = entries.map(([, { address }]) => ({ digits: address, plus: false }));
  const { prices } = await pricer.prepare(channelRequest(sender, message, recipients));
  return entries
    .map(([callingCode, { messages }], index) => ({ callingCode, messages, priceMicros: prices[index] as bigint }))
    .sort((one, other) => other.messages - one.messages);
}
