import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import type { MessageContent } from '../../carriers/content.js';
import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import type { PhoneValidation } from '../../carriers/numbers/phone-numbers.js';
import { extractUserId } from '../../carriers/numbers/user-ids.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import type { Template } from '../../platform/generated/prisma/client.js';
import type { Turns } from '../../platform/turns.js';
import { toDocumentFilename, withDocumentNames } from './document-filename.js';
import { checkFallback } from './fallback.js';
import { readNotes } from './notes.js';
import { decidePurpose } from './purpose.js';
import { composeRich, NOT_REFERRED } from './rich.js';
import type { Recipient, SendRequest } from './send-request.js';
import { toCarrierComponents } from './template/carrier-components.js';
import { renderTemplate } from './template/render.js';
import {
  checkSendV2,
  type PersonRef,
  type PlannedContent,
  type PlannedRich,
  type PlannedSend,
  type PlannedTemplate,
  type SendV2Body,
} from './v2-plan.js';

export interface WhatsappChannel {
  id: string;
  /** Digits with country code. */
  phoneNumber: string;
  carrier: string;
}

export interface WhatsappDirectory {
  /**
   * Finds the channel with the phone number `from`, or the account's default channel unless a setting forbids that default.
   * @throws {AppError} INVALID_REQUEST on `from` if the channel does not exist
   */
  findChannel(accountId: string, from: string): Promise<WhatsappChannel> | WhatsappChannel;
  /** Returns the template in the language of its ID, if the request identifies the template by ID. */
  findTemplate(
    accountId: string,
    channelId: string,
    idOrName: string,
    language: string | null,
  ): Promise<FoundTemplate | null> | FoundTemplate | null;
  /** Returns false if templates may be outdated, because no sync was complete or the carrier cannot be reached. */
  refreshTemplates(accountId: string, channelId: string): Promise<boolean>;
  /** @param messageId our message ID or the carrier's */
  findReferredMessage(accountId: string, channelId: string, messageId: string): Promise<string | null> | string | null;
  /** @param components path of a template's components in the request */
  checkMedia(
    channelId: string,
    content: MessageContent | null,
    components: string,
  ): Promise<FieldProblem[]> | FieldProblem[];
  /** Finds a contact of the channel or, without a channel, a contact of the account by its contact ID. */
  findPerson(accountId: string, channelId: string | null, person: PersonRef): Promise<FoundPerson | null>;
}

export type FoundTemplate = Pick<Template, 'name' | 'language' | 'status' | 'components' | 'category'>;

export interface FoundPerson {
  contactId: string;
  conversationId: string | null;
  phone: string | null;
  address: string | null;
}

export interface SendV2Context {
  account: AccountRef;
  smsCarrier: string;
  idempotencyKey: IdempotencyKey | null;
  phoneValidation: PhoneValidation;
  defaultCountry?: string | null;
  /** 0 means no limit. */
  smsMaxChars: number;
  now: Date;
  turns: Turns;
  directory: WhatsappDirectory;
  /** Whether unknown templates are refused before the carrier is called; if false, the carrier decides. */
  refusesUnknownTemplates?: boolean;
}

/** @throws {AppError} INVALID_REQUEST with all rule violations */
export async function composeV2(body: SendV2Body, context: SendV2Context): Promise<SendRequest> {
  const planned = await checkSendV2(body, context);
  const { content, fallback } = planned;
  if (content.type === 'sms') {
    const sms = { sender: body.from, body: content.text, content: null, channelId: null, carrier: context.smsCarrier };
    const recipients = await resolveSmsRecipients(planned, context);
    return assemble(body, context, { ...planned, recipients }, { kind: 'sms', ...sms });
  }
  const channel = await context.directory.findChannel(context.account.id, body.from);
  const recipients = await resolveWhatsappRecipients(planned, channel, context);
  const composed = await composeWhatsapp(content, channel, context, recipients);
  const problems = await context.directory.checkMedia(channel.id, composed.content, 'template_data.components');
  if (problems.length > 0) throw invalidFields(problems);
  if (fallback) {
    checkFallback(fallback, composed.body, context.smsMaxChars);
    composed.content = { ...(composed.content ?? { type: 'text', previewUrl: false }), fallback };
  }
  const origin = { sender: channel.phoneNumber, channelId: channel.id, carrier: channel.carrier };
  return assemble(body, context, { ...planned, recipients }, { kind: 'whatsapp', ...composed, ...origin });
}

async function resolveSmsRecipients(
  { recipients, person }: PlannedSend,
  { account, directory }: SendV2Context,
): Promise<readonly Recipient[]> {
  if (!person) return recipients;
  const found = await directory.findPerson(account.id, null, person);
  if (!found) throw invalidFields([{ field: 'contactId', rule: 'names no contact of the account' }]);
  if (found.phone === null) throw invalidFields([{ field: 'contactId', rule: 'names a contact without a number' }]);
  return [{ digits: found.phone, plus: false }];
}

/**
 * Prefers a person's number to their user ID.
 * @throws {AppError} INVALID_REQUEST for a contact that is unknown or cannot be reached
 */
async function resolveWhatsappRecipients(
  { recipients, person }: PlannedSend,
  channel: WhatsappChannel,
  { account, directory }: SendV2Context,
): Promise<readonly Recipient[]> {
  if (!person) return recipients;
  const found = await directory.findPerson(account.id, channel.id, person);
  if (!found && 'userId' in person) return [{ digits: person.userId, plus: false }];
  if (!found) throw invalidFields([{ field: 'contactId', rule: 'names no contact of the channel' }]);
  const { address, contactId, conversationId } = found;
  if (address === null) {
    throw invalidFields([{ field: toPersonField(person), rule: 'names a contact without a number' }]);
  }
  return [{ digits: address, plus: false, contactId, ...(conversationId !== null && { conversationId }) }];
}

const toPersonField = (person: PersonRef) => ('userId' in person ? 'userId' : 'contactId');

interface ComposedContent extends Pick<SendRequest, 'body' | 'content'> {
  /** Absent unless the content is a known template. */
  category?: string;
}

async function composeWhatsapp(
  content: Exclude<PlannedContent, { type: 'sms' }>,
  channel: WhatsappChannel,
  context: SendV2Context,
  recipients: readonly Recipient[],
): Promise<ComposedContent> {
  if (content.type === 'template') return composeTemplate(content, channel, context, recipients);
  if (content.type !== 'rich') return composeContent(content);
  const { account, directory } = context;
  const composed = await composeRich(content.input, (id) => directory.findReferredMessage(account.id, channel.id, id));
  if (!('notFound' in composed)) return composed;
  throw invalidFields([{ field: composed.notFound, rule: NOT_REFERRED }]);
}

function assemble(
  body: SendV2Body,
  context: SendV2Context,
  { recipients, scheduledAt, validUntil }: Pick<SendRequest, 'recipients' | 'scheduledAt' | 'validUntil'>,
  route: ComposedContent & Pick<SendRequest, 'kind' | 'sender' | 'channelId' | 'carrier'>,
): SendRequest {
  return {
    account: context.account,
    surface: 'a',
    kind: route.kind,
    sender: route.sender,
    recipients,
    body: route.body,
    content: route.content,
    priority: body.priority ?? 0,
    channelId: route.channelId,
    carrier: route.carrier,
    scheduledAt,
    validitySeconds: body.validity_period,
    validUntil,
    notes: readNotes(body),
    purpose: decidePurpose(body.purpose, route.category ?? null),
    idempotencyKey: context.idempotencyKey,
  };
}

function composeContent(
  content: Exclude<PlannedContent, PlannedTemplate | PlannedRich | { type: 'sms' }>,
): ComposedContent {
  if (content.type === 'text') {
    // Plain text is stored without content, which keeps the rows of the most common messages small.
    return { body: content.text, content: content.previewUrl ? { type: 'text', previewUrl: true } : null };
  }
  const media: MessageContent = { type: content.type, url: content.url };
  if (content.type === 'document') media.filename = toDocumentFilename(content.url);
  return { body: content.caption, content: media };
}

/**
 * Surplus parameters are passed on, and the carrier decides whether to refuse them. An unknown template is refused only if a
 * sync shows that the carrier does not have the template.
 */
async function composeTemplate(
  planned: PlannedTemplate,
  channel: WhatsappChannel,
  context: SendV2Context,
  [recipient]: readonly Recipient[],
): Promise<ComposedContent> {
  const { idOrName, language, components } = planned;
  const { account, directory } = context;
  const find = () => directory.findTemplate(account.id, channel.id, idOrName, language);
  let found = await find();
  if (!found && context.refusesUnknownTemplates && (await directory.refreshTemplates(account.id, channel.id))) {
    found = await find();
    if (!found) {
      const label = `${quote(idOrName)} (${language ?? DEFAULT_LANGUAGE})`;
      throw invalidFields([{ field: 'template_id', rule: `names no template of the channel: ${label}` }]);
    }
  }
  if (!found) {
    const key = { name: idOrName, language: language ?? DEFAULT_LANGUAGE };
    const content = { type: 'template', ...key, components: withDocumentNames(components) } as const;
    return { body: planned.text, content };
  }
  if (language !== null && found.language !== language) {
    const rule = `is not a language of the template ${found.name}; ${planned.field} names it in ${found.language}`;
    throw invalidFields([{ field: 'template_data.language.code', rule }]);
  }
  if (found.status !== 'APPROVED') {
    const rule = `names the template ${found.name} (${found.language}), whose status is ${found.status}; only an APPROVED one can be sent`;
    throw invalidFields([{ field: planned.field, rule }]);
  }
  if (found.category === 'AUTHENTICATION' && extractUserId(recipient?.digits ?? '') !== null) {
    throw invalidFields([
      { field: planned.field, rule: 'is of the category AUTHENTICATION, and the person has no number' },
    ]);
  }
  const rendered = renderTemplate(found.components, components, 'template_data.components');
  const missing = rendered.problems.filter(({ kind }) => kind !== 'surplus-parameter');
  if (missing.length > 0) throw invalidFields(missing);
  const { body, shown } = rendered;
  const filled = toCarrierComponents(found.components, components);
  const content = { type: 'template', name: found.name, language: found.language, components: filled } as const;
  return { body, content: { ...content, ...(shown && { shown }) }, category: found.category };
}
