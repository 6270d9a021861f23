import type pg from 'pg';
import type { AccountRef } from '../../../accounts/account-ref.js';
import { readBalance } from '../../../accounts/accounts.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { createBalanceError } from '../../../accounts/insufficient-balance.js';
import type { MessageContent, TemplateComponent } from '../../../carriers/content.js';
import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import { extractUserId } from '../../../carriers/numbers/user-ids.js';
import { getPhoneValidation } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Acceptor } from '../../../messages/accept/acceptor.js';
import { decidePurpose, getCategoryPurpose, type Purpose } from '../../../messages/compose/purpose.js';
import type { Recipient, SendRequest } from '../../../messages/compose/send-request.js';
import { toCarrierComponents } from '../../../messages/compose/template/carrier-components.js';
import { renderTemplate } from '../../../messages/compose/template/render.js';
import { withoutNullFields } from '../../../messages/compose/template/without-null-fields.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField, type ProblemKind } from '../../../platform/errors/app-error.js';
import { invalidFields, isBlank, isLongerThan, quote } from '../../../platform/errors/field-problems.js';
import type { ChannelKind, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { requireWhatsapp } from '../../channels/call-carrier.js';
import type { ShortLink } from '../../links/shortening/shorten-text.js';
import { type MediaLookup, requireMedia } from '../../media/require-media.js';
import { createPartyLookup, getTargetField, type SendTarget } from '../parties.js';

const AUTHENTICATION = 'AUTHENTICATION';

/** Sends have a higher priority than campaigns, because a caller of Surface B is waiting. */
export const CHANNEL_SEND_PRIORITY = 2;

export interface TemplateOptions {
  prisma: Pick<PrismaClient, 'template'>;
}

export interface ReplyOptions {
  pool: pg.Pool;
  clock: Clock;
  phoneValidation: PhoneValidation;
  /** If 0, only the limit of the schema applies. */
  smsMaxChars: number;
}

export interface TemplateSendOptions extends TemplateOptions, ReplyOptions {
  prisma: Pick<PrismaClient, 'template' | 'account' | 'media'>;
  acceptor: Pick<Acceptor, 'prepare'>;
}

export interface ChannelSender {
  account: AccountRef;
  channel: {
    id: string;
    /** Default: `whatsapp`. */
    kind?: ChannelKind;
    phoneNumber: string;
    carrier: string;
    isActive: boolean;
  };
}

export interface TemplateChoice {
  templateName: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  components?: readonly TemplateComponent[];
}

export interface ComposedMessage {
  body: string;
  content: MessageContent | null;
  /** The purpose of the template; absent for other messages. */
  purpose?: Purpose;
  /** Index of the campaign's variant. */
  campaignVariant?: number;
  /** Short links in the text, which are stored when the message is accepted. Only for messages to a single recipient. */
  links?: readonly ShortLink[];
}

export interface SendOptions {
  /** Priority from 0 (lowest) to 3 (highest). Default: 2. */
  priority?: number;
  campaignId?: string;
  idempotency?: IdempotencyKey | null;
  /** Default: the purpose of the message's template, or else `transactional`. */
  purpose?: Purpose;
  /** If true, the contact of a new number is created when the send commits (see `createParties`). */
  createPartyOnCommit?: boolean;
}

export interface SendableTemplate {
  name: string;
  language: string;
  category: string;
  /** In the carrier's format. */
  components: unknown;
}

const UNSENDABLE_KINDS: Readonly<Record<string, ProblemKind>> = {
  PAUSED: 'template-paused',
  DISABLED: 'template-disabled',
};

/**
 * @throws {AppError} NOT_FOUND if the channel has no such template in the language, or FORBIDDEN if the channel is
 * inactive or not WhatsApp.
 * INVALID_REQUEST if the template is not APPROVED
 */
export async function findSendableTemplate(
  { prisma }: TemplateOptions,
  { account, channel }: ChannelSender,
  { templateName: name, language }: TemplateChoice,
): Promise<SendableTemplate> {
  requireActive(channel);
  requireWhatsapp(channel);
  const template = await prisma.template.findFirst({
    where: { accountId: account.id, channelId: channel.id, name, language },
  });
  if (!template) {
    throw new AppError('NOT_FOUND', `The channel has no template ${quote(name)} in the language ${quote(language)}.`);
  }
  if (template.status !== 'APPROVED') {
    const rule = `is the template ${name} (${language}) with the status ${template.status}; only APPROVED templates can be sent`;
    throw invalidField('templateName', rule, UNSENDABLE_KINDS[template.status] ?? 'template-not-approved');
  }
  return template;
}

/** Meta sends no authentication codes to people who hide their number (error 131062). */
export function needsNumber({ category }: Pick<SendableTemplate, 'category'>): boolean {
  return category === AUTHENTICATION;
}

/** @throws {AppError} INVALID_REQUEST if parameters are missing, superfluous or malformed */
export function fillTemplate(
  { name, language, category, components: shape }: SendableTemplate,
  components: readonly TemplateComponent[],
): ComposedMessage {
  const parameters = withoutNullFields(components);
  const { body, shown, problems } = renderTemplate(shape, parameters);
  if (problems.length > 0) throw invalidFields(problems);
  return {
    body,
    content: {
      type: 'template',
      name,
      language,
      components: toCarrierComponents(shape, parameters),
      ...(shown && { shown }),
    },
    purpose: getCategoryPurpose(category),
  };
}

/**
 * Reads no contacts and writes nothing.
 * @throws {AppError} Any error of `findSendableTemplate`, `fillTemplate` or `requireMedia`
 */
export async function composeTemplate(
  options: TemplateOptions & MediaLookup,
  sender: ChannelSender,
  choice: TemplateChoice,
): Promise<ComposedMessage> {
  const message = fillTemplate(await findSendableTemplate(options, sender, choice), choice.components ?? []);
  await requireMedia(options, sender.channel.id, message.content);
  return message;
}

/**
 * Creates a new contact and conversation after all checks, or on commit if `createPartyOnCommit` is set.
 * @throws {AppError} INVALID_REQUEST for a malformed number, a template that requires a phone number, or a purpose that is less
 * strict than the template's; or any error of `composeTemplate`.
 * NOT_FOUND for an unknown contact, or INSUFFICIENT_BALANCE before anything is created
 */
export async function composeTemplateSend(
  options: TemplateSendOptions,
  sender: ChannelSender,
  choice: TemplateChoice & SendTarget & { purpose?: Purpose },
  sendOptions?: SendOptions,
): Promise<SendRequest> {
  requireValidNumber(options, sender, choice);
  const template = await findSendableTemplate(options, sender, choice);
  const message = fillTemplate(template, choice.components ?? []);
  message.purpose = decidePurpose(choice.purpose, template.category);
  await requireMedia(options, sender.channel.id, message.content);
  const buildRequest = (recipient: Recipient) => toChannelRequest(sender, message, [recipient], sendOptions);
  const { find, create } = createPartyLookup(options, sender);
  const { address, party } = await find(choice);
  if (needsNumber(template) && extractUserId(address) !== null) {
    throw invalidField(
      getTargetField(choice),
      'belongs to a person without a phone number; Meta sends codes to phone numbers only',
      'no-phone-number',
    );
  }
  const recipient = { digits: address, plus: false };
  if (party || sendOptions?.createPartyOnCommit) return buildRequest({ ...recipient, ...party });
  await requireFunds(options, buildRequest(recipient));
  return buildRequest({ ...recipient, ...(await create(address)) });
}

/**
 * @throws {AppError} WINDOW_EXPIRED if the contact has not written within 24 hours, or FORBIDDEN if the channel is
 * inactive.
 * INVALID_REQUEST for a malformed number, or a text that is empty or too long
 */
export async function composeReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { message, purpose, ...target }: SendTarget & { message: string; purpose?: Purpose },
  sendOptions?: SendOptions,
): Promise<SendRequest> {
  requireReachable(options, sender, target);
  const limit = maxTextLength(sender.channel, options.smsMaxChars);
  if (isBlank(message) || isLongerThan(message, limit)) {
    throw invalidField('message', `must be a text of 1 to ${limit} characters, with at least one visible character`);
  }
  const decidedPurpose = decidePurpose(purpose, null);
  const { address, party } = await createPartyLookup(options, sender).requireOpenWindow(target);
  return toChannelRequest(
    sender,
    { body: message, content: null, purpose: decidedPurpose },
    [{ digits: address, plus: false, ...party }],
    sendOptions,
  );
}

/** @throws {AppError} FORBIDDEN if the channel is inactive, or INVALID_REQUEST for a malformed number */
export function requireReachable(
  options: Pick<ReplyOptions, 'phoneValidation'>,
  { channel }: Pick<ChannelSender, 'channel'>,
  target: SendTarget,
): void {
  requireActive(channel);
  requireValidNumber(options, { channel }, target);
}

/** In Unicode code points. */
export function maxTextLength({ kind }: ChannelSender['channel'], smsMaxChars: number): number {
  return kind === 'sms' && smsMaxChars > 0 ? Math.min(smsMaxChars, WHATSAPP_TEXT_LIMIT) : WHATSAPP_TEXT_LIMIT;
}

/** Expects recipients whose contacts and conversations are already resolved. */
export function toChannelRequest(
  { account, channel }: ChannelSender,
  { body, content, purpose: ownPurpose, campaignVariant }: ComposedMessage,
  recipients: readonly Recipient[],
  { priority = CHANNEL_SEND_PRIORITY, campaignId, idempotency = null, purpose = ownPurpose }: SendOptions = {},
): SendRequest {
  return {
    account,
    surface: 'b',
    kind: channel.kind ?? 'whatsapp',
    sender: channel.phoneNumber,
    recipients,
    body,
    content,
    priority,
    channelId: channel.id,
    carrier: channel.carrier,
    campaignId,
    ...(campaignVariant !== undefined && { campaignVariant }),
    ...(purpose !== undefined && { purpose }),
    idempotencyKey: idempotency,
  };
}

/** @throws {AppError} FORBIDDEN */
export function requireActive({ isActive }: ChannelSender['channel']): void {
  if (!isActive) throw new AppError('FORBIDDEN', 'The channel is not active.');
}

function requireValidNumber(
  { phoneValidation }: { phoneValidation: PhoneValidation },
  { channel: { kind = 'whatsapp' } }: Pick<ChannelSender, 'channel'>,
  { to }: SendTarget,
): void {
  if (to !== undefined && !isPhoneNumber(to, getPhoneValidation(kind, phoneValidation))) {
    throw invalidField('to', `${explainPhoneRule(to)} (it is ${quote(to)})`);
  }
}

/** Checks the balance early, so that a refused send creates no contact. The debit makes the final decision. */
async function requireFunds(
  { acceptor, prisma }: Pick<TemplateSendOptions, 'acceptor' | 'prisma'>,
  request: SendRequest,
): Promise<void> {
  const [{ charge }, { balanceMicros, currency }] = await Promise.all([
    acceptor.prepare(request),
    readBalance({ prisma }, request.account.id),
  ]);
  if (balanceMicros < charge) {
    throw createBalanceError({ neededMicros: charge, availableMicros: balanceMicros, currency });
  }
}
