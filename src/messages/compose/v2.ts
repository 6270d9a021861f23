import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import type { MessageContent } from '../../carriers/content.js';
import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import type { PhoneValidation } from '../../carriers/numbers/phone-numbers.js';
import { userIdIn } from '../../carriers/numbers/user-ids.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import type { Template } from '../../platform/generated/prisma/client.js';
import type { Turns } from '../../platform/turns.js';
import { documentFilename, withDocumentNames } from './document-filename.js';
import { checkFallback } from './fallback.js';
import { readNotes } from './notes.js';
import { composeRich, NOT_REFERRED } from './rich.js';
import type { Recipient, SendRequest } from './send-request.js';
import { carrierComponents } from './template/carrier-components.js';
import { renderTemplate } from './template/render.js';
import {
  checkSendV2,
  type NamedPerson,
  type PlannedContent,
  type PlannedRich,
  type PlannedSend,
  type PlannedTemplate,
  type SendV2Body,
} from './v2-plan.js';

/** A WhatsApp channel as a send needs it. */
export interface WhatsappChannel {
  id: string;
  /** Digits with country code. */
  phoneNumber: string;
  carrier: string;
}

/** What is known of an account's WhatsApp channels and templates. */
export interface WhatsappDirectory {
  /**
   * The channel whose phone number `from` is, else the account's default one unless a setting forbids that.
   * @throws {AppError} INVALID_REQUEST naming `from` when there is none to send from
   */
  channel(accountId: string, from: string): Promise<WhatsappChannel> | WhatsappChannel;
  /**
   * A template of the channel by id or name, whatever its status; null when the channel has none such. Where an id names a
   * template that is not there in the language, that one in its own.
   */
  template(
    accountId: string,
    channelId: string,
    idOrName: string,
    language: string | null,
  ): Promise<KnownTemplate | null> | KnownTemplate | null;
  /**
   * Makes sure that the stored templates are those of the carrier, by a sync where one is due.
   * @returns false where that cannot be known: the channel never completed a sync, or its carrier cannot be reached
   */
  refreshTemplates(accountId: string, channelId: string): Promise<boolean>;
  /**
   * The carrier's id of a message of the channel that another one quotes or reacts to, by our id or the carrier's; null when
   * the channel has none such.
   */
  referred(accountId: string, channelId: string, messageId: string): Promise<string | null> | string | null;
  /** What stands against the files of ours that a message names. @param components path of a template's components */
  media(
    channelId: string,
    content: MessageContent | null,
    components: string,
  ): Promise<FieldProblem[]> | FieldProblem[];
  /** A contact of a channel, or by its own id one of the account; null where there is none. */
  person(accountId: string, channelId: string | null, who: NamedPerson): Promise<KnownPerson | null>;
}

export type KnownTemplate = Pick<Template, 'name' | 'language' | 'status' | 'components' | 'category'>;

/** A contact by any of its ids, and how it is reached. */
export interface KnownPerson {
  contactId: string;
  /** Null while it has none. */
  conversationId: string | null;
  phone: string | null;
  /** The number, or an id where none is known; null where neither is left. */
  address: string | null;
}

export interface SendV2Context {
  account: AccountRef;
  smsCarrier: string;
  idempotencyKey: IdempotencyKey | null;
  phoneValidation: PhoneValidation;
  /** As in `PlanOptions`; Surface A alone has one. */
  defaultCountry?: string | null;
  /** Most characters of an SMS; 0: no limit. */
  smsMaxChars: number;
  /** Business time. */
  now: Date;
  turns: Turns;
  directory: WhatsappDirectory;
  /** Whether a template is refused that the channel's carrier does not have; else the carrier refuses it. */
  refusesUnknownTemplates?: boolean;
}

/**
 * Makes a send of a `/v2/send` request whose schema has been checked.
 * @throws {AppError} INVALID_REQUEST with every field that breaks a rule
 */
export async function composeV2(body: SendV2Body, context: SendV2Context): Promise<SendRequest> {
  const planned = await checkSendV2(body, context);
  const { content, fallback } = planned;
  if (content.type === 'sms') {
    const sms = { sender: body.from, body: content.text, content: null, channelId: null, carrier: context.smsCarrier };
    const recipients = await smsRecipients(planned, context);
    return assemble(body, context, { ...planned, recipients }, { kind: 'sms', ...sms });
  }
  const channel = await context.directory.channel(context.account.id, body.from);
  const recipients = await whatsappRecipients(planned, channel, context);
  const composed = await composeWhatsapp(content, channel, context, recipients);
  const problems = await context.directory.media(channel.id, composed.content, 'template_data.components');
  if (problems.length > 0) throw invalidFields(problems);
  if (fallback) {
    checkFallback(fallback, composed.body, context.smsMaxChars);
    composed.content = { ...(composed.content ?? { type: 'text', previewUrl: false }), fallback };
  }
  // What it really leaves from, whatever the caller wrote.
  const by = { sender: channel.phoneNumber, channelId: channel.id, carrier: channel.carrier };
  return assemble(body, context, { ...planned, recipients }, { kind: 'whatsapp', ...composed, ...by });
}

/** The number of a contact, where one is named. @throws {AppError} INVALID_REQUEST where it has none */
async function smsRecipients(
  { recipients, person }: PlannedSend,
  { account, directory }: SendV2Context,
): Promise<readonly Recipient[]> {
  if (!person) return recipients;
  const known = await directory.person(account.id, null, person);
  if (!known) throw invalidFields([{ field: 'contactId', rule: 'names no contact of the account' }]);
  if (known.phone === null) throw invalidFields([{ field: 'contactId', rule: 'names a contact without a number' }]);
  return [{ digits: known.phone, plus: false }];
}

/**
 * Whom a WhatsApp message goes to: where the number of a person who is named otherwise is known, that.
 * @throws {AppError} INVALID_REQUEST for an unknown contact, and for one who cannot be reached
 */
async function whatsappRecipients(
  { recipients, person }: PlannedSend,
  channel: WhatsappChannel,
  { account, directory }: SendV2Context,
): Promise<readonly Recipient[]> {
  if (!person) return recipients;
  const known = await directory.person(account.id, channel.id, person);
  if (!known && 'userId' in person) return [{ digits: person.userId, plus: false }];
  if (!known) throw invalidFields([{ field: 'contactId', rule: 'names no contact of the channel' }]);
  const { address, contactId, conversationId } = known;
  if (address === null) {
    throw invalidFields([{ field: fieldOf(person), rule: 'is of a contact whose number is not known' }]);
  }
  return [{ digits: address, plus: false, contactId, ...(conversationId !== null && { conversationId }) }];
}

const fieldOf = (person: NamedPerson) => ('userId' in person ? 'userId' : 'contactId');

type Composed = Pick<SendRequest, 'body' | 'content'>;

async function composeWhatsapp(
  content: Exclude<PlannedContent, { type: 'sms' }>,
  channel: WhatsappChannel,
  context: SendV2Context,
  recipients: readonly Recipient[],
): Promise<Composed> {
  if (content.type === 'template') return composeTemplate(content, channel, context, recipients);
  if (content.type !== 'rich') return composeContent(content);
  const { account, directory } = context;
  const composed = await composeRich(content.input, (id) => directory.referred(account.id, channel.id, id));
  if (!('notFound' in composed)) return composed;
  throw invalidFields([{ field: composed.notFound, rule: NOT_REFERRED }]);
}

function assemble(
  body: SendV2Body,
  context: SendV2Context,
  { recipients, scheduledAt, validUntil }: Pick<SendRequest, 'recipients' | 'scheduledAt' | 'validUntil'>,
  rest: Composed & Pick<SendRequest, 'kind' | 'sender' | 'channelId' | 'carrier'>,
): SendRequest {
  return {
    account: context.account,
    surface: 'a',
    kind: rest.kind,
    sender: rest.sender,
    recipients,
    body: rest.body,
    content: rest.content,
    priority: body.priority ?? 0,
    channelId: rest.channelId,
    carrier: rest.carrier,
    scheduledAt,
    validitySeconds: body.validity_period,
    validUntil,
    notes: readNotes(body),
    idempotencyKey: context.idempotencyKey,
  };
}

function composeContent(content: Exclude<PlannedContent, PlannedTemplate | PlannedRich | { type: 'sms' }>): Composed {
  if (content.type === 'text') {
    // Plain text has no content, which keeps the row of the commonest message small.
    return { body: content.text, content: content.previewUrl ? { type: 'text', previewUrl: true } : null };
  }
  const media: MessageContent = { type: content.type, url: content.url };
  if (content.type === 'document') media.filename = documentFilename(content.url);
  return { body: content.caption, content: media };
}

/**
 * A template that the channel knows must be approved, and its parameters must be there. An unknown template is refused where
 * a sync proves that the carrier does not have it either; otherwise it goes to the carrier as it is, and so do surplus
 * parameters: the carrier has the last word.
 */
async function composeTemplate(
  planned: PlannedTemplate,
  channel: WhatsappChannel,
  context: SendV2Context,
  [recipient]: readonly Recipient[],
): Promise<Composed> {
  const { idOrName, language, components } = planned;
  const { account, directory } = context;
  const find = () => directory.template(account.id, channel.id, idOrName, language);
  let known = await find();
  if (!known && context.refusesUnknownTemplates && (await directory.refreshTemplates(account.id, channel.id))) {
    known = await find();
    if (!known) {
      const named = `${quote(idOrName)} (${language ?? DEFAULT_LANGUAGE})`;
      throw invalidFields([{ field: 'template_id', rule: `names no template of the channel: ${named}` }]);
    }
  }
  if (!known) {
    const named = { name: idOrName, language: language ?? DEFAULT_LANGUAGE };
    const content = { type: 'template', ...named, components: withDocumentNames(components) } as const;
    return { body: planned.text, content };
  }
  if (language !== null && known.language !== language) {
    const rule = `names no language of the template ${known.name}, which ${planned.field} names in ${known.language}`;
    throw invalidFields([{ field: 'template_data.language.code', rule }]);
  }
  if (known.status !== 'APPROVED') {
    const rule = `names the template ${known.name} (${known.language}), whose status is ${known.status}; only an APPROVED one can be sent`;
    throw invalidFields([{ field: planned.field, rule }]);
  }
  if (known.category === 'AUTHENTICATION' && userIdIn(recipient?.digits ?? '') !== null) {
    throw invalidFields([
      { field: planned.field, rule: 'is of the category AUTHENTICATION, and the person has no number' },
    ]);
  }
  const rendered = renderTemplate(known.components, components, 'template_data.components');
  const missing = rendered.problems.filter(({ rule }) => !rule.startsWith('is surplus'));
  if (missing.length > 0) throw invalidFields(missing);
  const { body, shown } = rendered;
  const filled = carrierComponents(known.components, components);
  const content = { type: 'template', name: known.name, language: known.language, components: filled } as const;
  return { body, content: { ...content, ...(shown && { shown }) } };
}
