import type pg from 'pg';
import { createDeletedResultError, type IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { findResultIds, reserveKeyForIds } from '../../../accounts/idempotency/idempotency-store.js';
import { createBalanceError } from '../../../accounts/insufficient-balance.js';
import { findBalance } from '../../../accounts/ledger-store.js';
import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import { getPhoneValidation } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { AcceptingHost, AcceptingTransaction } from '../../../messages/accept/accept-within.js';
import type { Acceptor } from '../../../messages/accept/acceptor.js';
import type { PendingRequest } from '../../../messages/accept/pending-request.js';
import type { SendOrigin } from '../../../messages/compose/send-request.js';
import { AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { quote } from '../../../platform/errors/field-problems.js';
import { newId } from '../../../platform/ids.js';
import { UNSET_FIELDS } from '../../contacts/contact-fields.js';
import { createParties } from '../../conversations/parties.js';
import { lockContacts } from '../../conversations/party-store.js';
import { type ChannelSender, type ComposedMessage, toChannelRequest } from '../../conversations/sending/compose.js';
import { insertLinks } from '../../links/link-store.js';
import { createShortener } from '../../links/shortening/base.js';
import { type CampaignStores, type CheckOptions, getCampaignState, requireCampaign } from '../campaigns.js';
import { type CampaignContent, type Member, type MemberMessage, readContent } from '../message/content.js';
import { findMessagedContacts } from '../message/earlier-messages-store.js';
import { prepareMessage } from '../message/member-message.js';
import { findMemberVariables } from '../message/variables-store.js';
import { type CampaignVariant, getVariantName } from '../variants/variants.js';
import { findTestMessages, type TestMessage } from './test-send-store.js';

/** Maximum numbers of a test. */
export const MAX_TEST_NUMBERS = 5;

/** Name in the metadata of a test message. Its value is the ID of the campaign. */
export const TEST_METADATA = 'campaignTest';

export interface CampaignTest {
  /** Digits with country code, each number once. */
  to: readonly string[];
  /** The contact whose values fill the placeholders; null: placeholders get their fallbacks. */
  contactId: string | null;
  /** Name of a variant; null: variant A. */
  variant: string | null;
  origin: SendOrigin;
}

type TestOptions = CampaignStores &
  CheckOptions & {
    acceptor: Pick<Acceptor, 'acceptWithin'>;
    phoneValidation: PhoneValidation;
    publicUrl: string;
  };

/**
 * Sends a campaign's message to a few numbers, filled in with the values of one contact. The messages are charged, checked and
 * sent like all others, but do not belong to the campaign: they are only marked as its test in their metadata.
 * @param host the transaction of a change in the console, or the pool
 * @throws {AppError} NOT_FOUND for an unknown campaign or contact, CONFLICT for a campaign that has ended, INVALID_REQUEST for a
 * malformed number, an unknown variant or missing values; or any error of a send
 */
export async function sendCampaignTest(
  deps: TestOptions,
  host: AcceptingHost,
  sender: ChannelSender,
  campaignId: string,
  test: CampaignTest,
  claim: IdempotencyKey | null,
): Promise<{ messages: TestMessage[]; replayed: boolean }> {
  const { pool, prisma, clock, acceptor } = deps;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const earlierIds = claim && (await findResultIds(pool, scope.accountId, claim, clock.now()));
  if (earlierIds) return { messages: await requireMessages(pool, scope.accountId, earlierIds), replayed: true };

  const campaign = await requireCampaign(prisma, scope, campaignId);
  if (campaign.status !== 'scheduled' && campaign.status !== 'running') {
    throw new AppError(
      'CONFLICT',
      `The campaign is ${getCampaignState(campaign)}. Only a campaign that has not ended can be tested.`,
    );
  }
  requireNumbers(deps, sender, test.to);
  // Contacts are created in the order of an import, so that the two never wait for each other.
  const sorted = { ...test, to: [...test.to].sort() };
  const content = chooseContent(campaign, test.variant);
  const variables = campaign.variables as Readonly<Record<string, string>> | null;
  const shortener = campaign.shortenLinks
    ? await createShortener(pool, { accountId: scope.accountId, publicUrl: deps.publicUrl })
    : null;
  const message = await prepareMessage(deps, sender, content, variables, shortener);

  const plan = { listPayers: () => [scope.accountId], faultPoint: 'campaign-test:committed' };
  const ids = await acceptor.acceptWithin(host, plan, async (transaction) => {
    const composed = await composeForNumbers(transaction.client, scope, { id: campaignId, variables }, message, sorted);
    return commitMessages(transaction, sender, { campaignId, ...sorted, messages: composed }, claim, clock.now());
  });
  const sentIds = ids ?? (await findResultIds(pool, scope.accountId, claim as IdempotencyKey, clock.now())) ?? [];
  return { messages: await requireMessages(pool, scope.accountId, sentIds), replayed: ids === null };
}

function requireNumbers(
  { phoneValidation }: TestOptions,
  { channel: { kind = 'whatsapp' } }: ChannelSender,
  numbers: readonly string[],
): void {
  const validation = getPhoneValidation(kind, phoneValidation);
  for (const [index, number] of numbers.entries()) {
    if (!isPhoneNumber(number, validation)) {
      throw invalidField(`to[${index}]`, `${explainPhoneRule(number)} (it is ${quote(number)})`);
    }
    if (numbers.indexOf(number) < index) throw invalidField(`to[${index}]`, 'must not appear in the list twice');
  }
}

type StoredCampaign = Awaited<ReturnType<typeof requireCampaign>>;

function chooseContent(campaign: StoredCampaign, variant: string | null): CampaignContent {
  if (variant === null) return readContent(campaign);
  const variants = campaign.variants as unknown as readonly CampaignVariant[] | null;
  const chosen = variants?.find((_, index) => getVariantName(index) === variant);
  if (!chosen) throw invalidField('variant', 'must be a variant of the campaign');
  return chosen.content;
}

async function composeForNumbers(
  client: pg.PoolClient,
  scope: { accountId: string; channelId: string },
  campaign: { id: string; variables: Readonly<Record<string, string>> | null },
  message: MemberMessage,
  { to, contactId }: CampaignTest,
): Promise<ComposedMessage[]> {
  const [contact = null] = contactId === null ? [] : await lockContacts(client, scope, [contactId]);
  if (contactId !== null && !contact) throw notFound('contact', 'contactId');
  const memberVariables =
    contact && campaign.variables && (await findMemberVariables(client, campaign.id, [contact.id]));
  const isFirst = !(contact && (await findMessagedContacts(client, [contact.id])).has(contact.id));
  const values = { variables: (contact && memberVariables?.get(contact.id)) ?? undefined, isFirst };
  return to.map((number) => {
    const member: Member = contact
      ? { ...contact, phone: contact.phone ?? number, address: number }
      : { ...UNSET_FIELDS, id: newId(), phone: number, address: number, fields: null };
    const composed = message.compose(member, values);
    if (composed) return composed;
    throw contact
      ? invalidField(
          'contactId',
          'must be a contact with a value for every placeholder that has no fallback, and whose text is not too long',
        )
      : invalidField('contactId', 'is required, because a placeholder has no fallback');
  });
}

/** Returns the IDs of the messages, or null if another request has used the idempotency key. */
async function commitMessages(
  transaction: AcceptingTransaction,
  sender: ChannelSender,
  { campaignId, to, messages, origin }: { campaignId: string; messages: readonly ComposedMessage[] } & CampaignTest,
  claim: IdempotencyKey | null,
  now: Date,
): Promise<string[] | null> {
  const { client } = transaction;
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const notes = { reference: null, metadata: { [TEST_METADATA]: campaignId }, callback: null };
  const prepared = await Promise.all(
    messages.map((message, index) => {
      const recipients = [{ digits: to[index] as string, plus: false }];
      const request = toChannelRequest(sender, message, recipients, { purpose: 'marketing' });
      return transaction.prepare({ ...request, notes, origin });
    }),
  );
  const ids = prepared.flatMap((each) => each.ids);
  if (claim && !(await reserveKeyForIds(client, scope.accountId, claim, ids, now))) return null;
  const pending: PendingRequest[] = [];
  for (const each of prepared) {
    pending.push({ ...each, request: await createParties(client, each.request, each.acceptedAt) });
  }
  const outcomes = await transaction.commit(pending);
  const refusal = outcomes.find((outcome) => outcome instanceof AppError);
  if (refusal) throw refusal;
  if (outcomes.some((outcome) => outcome !== 'accepted')) {
    const neededMicros = pending.reduce((sum, { charge }) => sum + charge, 0n);
    const { id, currency } = sender.account;
    throw createBalanceError({ neededMicros, availableMicros: await findBalance(client, id), currency });
  }
  await insertLinks(
    client,
    messages.flatMap(({ links }, index) => {
      const messageId = ids[index] as string;
      return links ? [{ messageId, ...scope, campaignId: null, links }] : [];
    }),
  );
  return ids;
}

/** @throws {AppError} CONFLICT if a message was deleted since */
async function requireMessages(
  connection: CampaignStores['pool'],
  accountId: string,
  ids: readonly string[],
): Promise<TestMessage[]> {
  const messages = await findTestMessages(connection, accountId, ids);
  if (messages.length < ids.length) throw createDeletedResultError();
  return messages;
}
