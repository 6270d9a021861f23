import { readBalance } from '../../../accounts/accounts.js';
import { findCallingCode } from '../../../carriers/numbers/phone-numbers.js';
import type { Pricer } from '../../../messages/accept/estimate.js';
import { buildDestinationCheck } from '../../../messages/accept/guard/destinations.js';
import type { Clock } from '../../../platform/clock.js';
import type { AddressedContact } from '../../conversations/sending/commit-to-contacts.js';
import {
  type ChannelSender,
  type ComposedMessage,
  fillTemplate,
  findSendableTemplate,
  toChannelRequest,
} from '../../conversations/sending/compose.js';
import { type CampaignStores, checkCampaign, type NewCampaign } from '../campaigns.js';
import { canReceive, createMemberComposer, isPersonal } from '../values.js';
import { readMemberVariables } from '../values-store.js';
import { type EstimatedMember, findMembersAfter } from './members-store.js';

const BATCH_SIZE = 500;

export interface CountryEstimate {
  callingCode: string;
  messages: number;
  /** Price in millionths of the currency unit. */
  priceMicros: bigint;
}

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
  /** Most messages first. */
  countries: CountryEstimate[];
  totalMicros: bigint;
  balanceMicros: bigint;
  currency: string;
  /** Null without recipients. */
  sample: { phone: string | null; name: string; body: string } | null;
}

/** @throws {AppError} as `createCampaign` */
export async function estimateCampaign(
  deps: CampaignStores & { clock: Clock; acceptor: Pricer },
  sender: ChannelSender,
  campaign: NewCampaign,
): Promise<CampaignEstimate> {
  const { group, components } = await checkCampaign(deps, sender, campaign);
  const template = await findSendableTemplate(deps, sender, campaign);
  const findVariables = await readMemberVariables(deps.pool, sender.channel.id, campaign.memberVariables);
  const sharedMessage = isPersonal({ components }) ? null : fillTemplate(template, components);
  const compose = createMemberComposer({ components, variables: campaign.variables }, template);
  const composeFor = (member: EstimatedMember) =>
    canReceive(template, member) ? (sharedMessage ?? compose(member, findVariables(member))) : null;

  const counts = { members: 0, passedOver: 0, refused: 0, optedOut: 0, messages: 0 };
  const checkDestination = await buildDestinationCheck(sender.account);
  const countries = new Map<string, { messages: number; address: string }>();
  let sample: { member: EstimatedMember; message: ComposedMessage } | null = null;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  for (let after: string | null = null, batch: EstimatedMember[]; ; after = batch.at(-1)?.id ?? null) {
    batch = await findMembersAfter(deps.pool, scope, group.id, after, BATCH_SIZE);
    counts.members += batch.length;
    for (const member of batch) {
      const message = composeFor(member);
      if (!message) counts.passedOver += 1;
      else if (checkDestination && checkDestination(member.address ?? '') !== null) counts.refused += 1;
      else if (member.optedOut) counts.optedOut += 1;
      else {
        sample ??= { member, message };
        counts.messages += 1;
        const { address = '' } = member as AddressedContact;
        const code = findCallingCode(address) ?? '';
        const country = countries.get(code) ?? { messages: 0, address };
        countries.set(code, { ...country, messages: country.messages + 1 });
      }
    }
    if (batch.length < BATCH_SIZE) break;
  }
  const { balanceMicros, currency } = await readBalance(deps, scope.accountId);
  const countryEstimates = sample ? await priceCountries(deps.acceptor, sender, sample.message, countries) : [];
  return {
    ...counts,
    countries: countryEstimates,
    totalMicros: countryEstimates.reduce((sum, { messages, priceMicros }) => sum + BigInt(messages) * priceMicros, 0n),
    balanceMicros,
    currency,
    sample: sample && { phone: sample.member.phone, name: sample.member.name, body: sample.message.body },
  };
}

/** Prices one address per country, because prices depend only on the calling code. */
async function priceCountries(
  pricer: Pricer,
  sender: ChannelSender,
  message: ComposedMessage,
  countries: ReadonlyMap<string, { messages: number; address: string }>,
): Promise<CountryEstimate[]> {
  const entries = [...countries];
  const recipients = entries.map(([, { address }]) => ({ digits: address, plus: false }));
  const { prices } = await pricer.prepare(toChannelRequest(sender, message, recipients));
  return entries
    .map(([callingCode, { messages }], index) => ({ callingCode, messages, priceMicros: prices[index] as bigint }))
    .sort((a, b) => b.messages - a.messages);
}
