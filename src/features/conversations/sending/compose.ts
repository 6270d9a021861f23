import type pg from 'pg';
import type { AccountRef } from '../../../accounts/account-ref.js';
import { readBalance } from '../../../accounts/accounts.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { insufficientBalance } from '../../../accounts/insufficient-balance.js';
import type { MessageContent, TemplateComponent } from '../../../carriers/content.js';
import { isPhoneNumber, type PhoneValidation, phoneRule } from '../../../carriers/numbers/phone-numbers.js';
import { userIdIn } from '../../../carriers/numbers/user-ids.js';
import { validationOf } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Acceptor } from '../../../messages/accept/acceptor.js';
import type { Recipient, SendRequest } from '../../../messages/compose/send-request.js';
import { carrierComponents } from '../../../messages/compose/template/carrier-components.js';
import { givenComponents } from '../../../messages/compose/template/given-components.js';
import { renderTemplate } from '../../../messages/compose/template/render.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields, isBlank, isLongerThan, quote } from '../../../platform/errors/field-problems.js';
import type { ChannelKind, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { requireWhatsapp } from '../../channels/ask-carrier.js';
import { type MediaLookup, requireMedia } from '../../media/require-media.js';
import { fieldOf, parties, type SendTarget } from '../parties.js';

/** A category of templates. */
const AUTHENTICATION = 'AUTHENTICATION';

/** Single sends of Surface B go before campaigns. */
export const CHANNEL_SEND_PRIORITY = 2;

export interface TemplateOptions {
  prisma: Pick<PrismaClient, 'template'>;
}

export interface ReplyOptions {
  pool: pg.Pool;
  clock: Clock;
  phoneValidation: PhoneValidation;
  /** Most characters of a reply by SMS; 0: no limit but that of the schema. */
  smsMaxChars: number;
}

export interface TemplateSendOptions extends TemplateOptions, ReplyOptions {
  prisma: Pick<PrismaClient, 'template' | 'account' | 'media'>;
  acceptor: Pick<Acceptor, 'prepare'>;
}

/** On whose behalf a channel sends: a caller of Surface B, a campaign or an automation. */
export interface ChannelSender {
  account: AccountRef;
  channel: {
    id: string;
    /** WhatsApp unless told. */
    kind?: ChannelKind;
    phoneNumber: string;
    carrier: string;
    isActive: boolean;
  };
}

/** What names a template and fills it. */
export interface TemplateChoice {
  templateName: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  components?: readonly TemplateComponent[];
}

/** A message that obeys every rule, without its recipients. */
export interface ComposedMessage {
  body: string;
  content: MessageContent | null;
}

export interface SendOptions {
  /** 0 (lowest) to 3 (highest); 2 unless told. */
  priority?: number;
  campaignId?: string;
  idempotency?: IdempotencyKey | null;
  /** The contact of a new number is made by whoever commits the send, see `makeParties`; the send names none. */
  partyLater?: boolean;
}

/** A template of a channel that can be sent now. */
export interface SendableTemplate {
  name: string;
  language: string;
  /** Meta's, in capital letters. */
  category: string;
  /** As its carrier holds them. */
  components: unknown;
}

/**
 * The template of a channel, if it can be sent.
 * @throws {AppError} NOT_FOUND when the channel has no such template in that language, INVALID_REQUEST when it is not
 * APPROVED, FORBIDDEN when the channel is not active or carries no WhatsApp
 */
export async function findSendable(
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
    const rule = `names the template ${name} (${language}), whose status is ${template.status}; only an APPROVED one can be sent`;
    throw invalidField('templateName', rule);
  }
  return template;
}

/** Whether a template can go to numbers alone: Meta sends codes to no one who hides theirs (131062). */
export function needsNumber({ category }: Pick<SendableTemplate, 'category'>): boolean {
  return category === AUTHENTICATION;
}

/**
 * Puts parameters into a template.
 * @throws {AppError} INVALID_REQUEST when parameters are missing, surplus or malformed
 */
export function fillTemplate(
  { name, language, components: shape }: SendableTemplate,
  components: readonly TemplateComponent[],
): ComposedMessage {
  const given = givenComponents(components);
  const { body, shown, problems } = renderTemplate(shape, given);
  if (problems.length > 0) throw invalidFields(problems);
  return {
    body,
    content: { type: 'template', name, language, components: carrierComponents(shape, given), ...(shown && { shown }) },
  };
}

/**
 * Renders an approved template of the channel. No contact is looked at and nothing is written.
 * @throws {AppError} as `findSendable`, `fillTemplate` and `requireMedia`
 */
export async function composeTemplate(
  options: TemplateOptions & MediaLookup,
  sender: ChannelSender,
  choice: TemplateChoice,
): Promise<ComposedMessage> {
  const message = fillTemplate(await findSendable(options, sender, choice), choice.components ?? []);
  await requireMedia(options, sender.channel.id, message.content);
  return message;
}

/**
 * A send of a template to a person. Its contact and conversation are made when they are new, once nothing else stands
 * against the send; or by whoever commits it, with `partyLater`.
 * @throws {AppError} as `composeTemplate`; INVALID_REQUEST for a malformed number, and for a template that the person
 * cannot get without one; NOT_FOUND for an unknown contact; INSUFFICIENT_BALANCE before anything
 * is made where the account cannot pay for it
 */
export async function composeTemplateSend(
  options: TemplateSendOptions,
  sender: ChannelSender,
  choice: TemplateChoice & SendTarget,
  how?: SendOptions,
): Promise<SendRequest> {
  requireNumber(options, sender, choice);
  const template = await findSendable(options, sender, choice);
  const message = fillTemplate(template, choice.components ?? []);
  await requireMedia(options, sender.channel.id, message.content);
  const request = (recipient: Recipient) => channelRequest(sender, message, [recipient], how);
  const { find, make } = parties(options, sender);
  const { address, party } = await find(choice);
  if (needsNumber(template) && userIdIn(address) !== null) {
    throw invalidField(fieldOf(choice), 'is of somebody without a number, and Meta sends codes to numbers alone');
  }
  const recipient = { digits: address, plus: false };
  if (party || how?.partyLater) return request({ ...recipient, ...party });
  await requireFunds(options, request(recipient));
  return request({ ...recipient, ...(await make(address)) });
}

/**
 * A send of free text to a contact who wrote within the last 24 hours: an SMS from a channel of kind `sms`, a WhatsApp
 * message from any other.
 * @throws {AppError} WINDOW_EXPIRED without such a message, an unknown contact included; INVALID_REQUEST for a malformed
 * number or a text that is not of 1 to 4096 characters, or by SMS longer than SMS_MAX_CHARS; FORBIDDEN when the channel is
 * not active
 */
export async function composeReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { message, ...target }: SendTarget & { message: string },
  how?: SendOptions,
): Promise<SendRequest> {
  requireReachable(options, sender, target);
  const limit = replyLimit(sender.channel, options.smsMaxChars);
  if (isBlank(message) || isLongerThan(message, limit)) {
    throw invalidField(
      'message',
      `must be a text of 1 to ${limit} characters, and not of spaces or invisible characters alone`,
    );
  }
  const { address, party } = await parties(options, sender).requireOpenWindow(target);
  return channelRequest(sender, { body: message, content: null }, [{ digits: address, plus: false, ...party }], how);
}

/**
 * What any send to one person needs.
 * @throws {AppError} FORBIDDEN when the channel is not active; INVALID_REQUEST for a malformed number
 */
export function requireReachable(
  options: Pick<ReplyOptions, 'phoneValidation'>,
  { channel }: Pick<ChannelSender, 'channel'>,
  target: SendTarget,
): void {
  requireActive(channel);
  requireNumber(options, { channel }, target);
}

/** Most characters of a reply from a channel. */
function replyLimit({ kind }: ChannelSender['channel'], smsMaxChars: number): number {
  return kind === 'sms' && smsMaxChars > 0 ? Math.min(smsMaxChars, WHATSAPP_TEXT_LIMIT) : WHATSAPP_TEXT_LIMIT;
}

/** A send of a composed message by a channel to recipients whose contacts and conversations are known. */
export function channelRequest(
  { account, channel }: ChannelSender,
  { body, content }: ComposedMessage,
  recipients: readonly Recipient[],
  { priority = CHANNEL_SEND_PRIORITY, campaignId, idempotency = null }: SendOptions = {},
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
    idempotencyKey: idempotency,
  };
}

function requireActive({ isActive }: ChannelSender['channel']): void {
  if (!isActive) throw new AppError('FORBIDDEN', 'The channel is not active.');
}

function requireNumber(
  { phoneValidation }: { phoneValidation: PhoneValidation },
  { channel: { kind = 'whatsapp' } }: Pick<ChannelSender, 'channel'>,
  { to }: SendTarget,
): void {
  if (to !== undefined && !isPhoneNumber(to, validationOf(kind, phoneValidation))) {
    throw invalidField('to', `${phoneRule(to)} (it is ${quote(to)})`);
  }
}

/** A look in advance, so that a refused send leaves no contact behind; the debit itself decides. */
async function requireFunds(
  { acceptor, prisma }: Pick<TemplateSendOptions, 'acceptor' | 'prisma'>,
  request: SendRequest,
): Promise<void> {
  const [{ charge }, { balanceMicros, currency }] = await Promise.all([
    acceptor.prepare(request),
    readBalance({ prisma }, request.account.id),
  ]);
  if (balanceMicros < charge) {
    throw insufficientBalance({ neededMicros: charge, availableMicros: balanceMicros, currency });
  }
}
