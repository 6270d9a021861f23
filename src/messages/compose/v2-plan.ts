import { isSenderId, SENDER_ID_RULE } from '../../accounts/sender-ids.js';
import type { SmsFallback, TemplateComponent } from '../../carriers/content.js';
import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../carriers/numbers/phone-numbers.js';
import { isUserId, USER_ID_RULE } from '../../carriers/numbers/user-ids.js';
import { getPhoneValidation } from '../../carriers/numbers/whatsapp-numbers.js';
import { parseWrittenNumber } from '../../carriers/numbers/written-numbers.js';
import {
  invalidFields,
  isBlank,
  isLongerThan,
  quote,
  type WordedProblem,
} from '../../platform/errors/field-problems.js';
import { isUuid } from '../../platform/ids.js';
import type { Turns } from '../../platform/turns.js';
import { type FallbackInput, planFallback } from './fallback.js';
import type { NotesBody } from './notes.js';
import type { Purpose } from './purpose.js';
import { checkRich, RICH_TYPES, type RichInput, type RichType } from './rich.js';
import { planSchedule, planValidUntil } from './schedule.js';
import type { Recipient } from './send-request.js';
import { withoutNullFields } from './template/without-null-fields.js';

/** The API contract fixes these limits, in Unicode code points. */
export const WHATSAPP_TEXT_LIMIT = 4096;
export const WHATSAPP_CAPTION_LIMIT = 1024;
export const TEXT_TOO_LONG =
  'WhatsApp message content cannot exceed 4096 characters. Please shorten your message or use a template.';
export const CAPTION_TOO_LONG = 'WhatsApp media captions cannot exceed 1024 characters. Please shorten your caption.';

/** Validated by the schema. */
export interface SendV2Body extends NotesBody, Partial<Omit<RichInput, 'type'>> {
  to?: string | string[];
  /** Replaces `to`. */
  userId?: string;
  contactId?: string;
  from: string;
  channel?: 'sms' | 'whatsapp';
  /** Type of a WhatsApp message in Meta's format; its content is in the field of that name. */
  type?: RichType;
  message?: string;
  /** Priority from 0 (lowest) to 3 (highest). */
  priority?: number;
  media_url?: string;
  template_id?: string;
  template_data?: {
    type?: string;
    name?: string;
    language?: { code: string };
    components?: TemplateComponent[];
  };
  preview_url?: boolean;
  scheduled_at?: string;
  /** Validity in seconds. */
  validity_period?: number;
  /** Replaces `validity_period`. */
  valid_until?: string;
  fallback?: FallbackInput;
  purpose?: Purpose;
}

export interface PlannedTemplate {
  type: 'template';
  idOrName: string;
  field: 'template_id' | 'template_data.name';
  language: string | null;
  components: TemplateComponent[];
  /** The request's `message`, used if the template is unknown. */
  text: string;
}

export interface PlannedRich {
  type: 'rich';
  input: RichInput;
}

export type PlannedContent =
  | { type: 'sms'; text: string }
  | { type: 'text'; text: string; previewUrl: boolean }
  | { type: 'image' | 'document'; url: string; caption: string }
  | PlannedTemplate
  | PlannedRich;

export interface PlanOptions {
  phoneValidation: PhoneValidation;
  /** ISO code of the country; without a default country, `to` needs its country code. */
  defaultCountry?: string | null;
  /** 0 means no limit. */
  smsMaxChars: number;
  now: Date;
  turns: Turns;
}

export type PersonRef = { userId: string } | { contactId: string };

export interface PlannedSend {
  recipients: Recipient[];
  person: PersonRef | null;
  content: PlannedContent;
  /** Undefined to send immediately. */
  scheduledAt: Date | undefined;
  /** Undefined if `validity_period` applies. */
  validUntil: Date | undefined;
  fallback: SmsFallback | undefined;
}

export async function checkSendV2(body: SendV2Body, options: PlanOptions): Promise<PlannedSend> {
  const problems: WordedProblem[] = [];
  if (!isSenderId(body.from)) problems.push({ field: 'from', rule: SENDER_ID_RULE });
  const person = readPerson(body, problems);
  const kind = chooseChannel(body);
  const recipients = body.to === undefined ? [] : await readRecipients(body.to, { ...options, kind }, problems);
  const content = planContent(body, options, problems);
  const scheduledAt = planSchedule(body.scheduled_at, options.now, problems);
  const validUntil = planValidUntil(body, scheduledAt ?? options.now, problems);
  const validitySeconds = validUntil
    ? Math.ceil((validUntil.getTime() - (scheduledAt ?? options.now).getTime()) / 1000)
    : body.validity_period;
  const fallback = planFallback(body, content?.type ?? null, validitySeconds, problems);
  if (content?.type === 'sms' && body.userId !== undefined) {
    problems.push({ field: 'userId', rule: 'must not be sent with the channel sms' });
  }
  if (problems.length > 0 || content === null) throw invalidFields(problems);
  return { recipients, person, content, scheduledAt, validUntil, fallback };
}

function readPerson({ to, userId, contactId }: SendV2Body, problems: WordedProblem[]): PersonRef | null {
  const recipientFields = [to, userId, contactId].filter((field) => field !== undefined);
  if (recipientFields.length === 0)
    problems.push({ field: 'to', rule: 'is required unless userId or contactId is sent' });
  if (recipientFields.length > 1) {
    const conflictingField = to === undefined ? 'userId' : 'to';
    const field = contactId === undefined ? 'userId' : 'contactId';
    problems.push({ field, rule: `must not be sent together with ${conflictingField}` });
  }
  if (userId !== undefined && !isUserId(userId)) problems.push({ field: 'userId', rule: USER_ID_RULE });
  if (contactId !== undefined && !isUuid(contactId)) problems.push({ field: 'contactId', rule: 'must be a UUID' });
  if (userId !== undefined) return { userId };
  return contactId === undefined ? null : { contactId: contactId.toLowerCase() };
}

async function readRecipients(
  to: string | string[],
  options: PlanOptions & { kind: 'sms' | 'whatsapp' },
  problems: WordedProblem[],
): Promise<Recipient[]> {
  const readOne = (text: string, field: string): Recipient => {
    const recipient = readRecipient(text, options);
    if (!recipient) problems.push({ field, rule: `${explainPhoneRule(text)} (it is ${quote(text)})` });
    return recipient ?? { digits: text, plus: false };
  };
  if (typeof to === 'string') return [readOne(to, 'to')];
  return options.turns.map(to, (text, index) => readOne(text, `to[${index}]`));
}

export function readRecipient(
  text: string,
  {
    kind,
    phoneValidation,
    defaultCountry,
  }: Pick<PlanOptions, 'phoneValidation' | 'defaultCountry'> & { kind: 'sms' | 'whatsapp' },
): Recipient | null {
  if (defaultCountry) return parseWrittenNumber(text, defaultCountry, kind);
  return isPhoneNumber(text, getPhoneValidation(kind, phoneValidation)) ? { digits: text, plus: false } : null;
}

const WHATSAPP_FIELDS = ['type', 'template_id', 'media_url', 'template_data', 'context', ...RICH_TYPES] as const;
/** Not allowed with `type`. */
const FIELDS_WITHOUT_TYPE = ['message', 'template_id', 'media_url', 'template_data', 'preview_url'] as const;

/** A request without `channel` is for WhatsApp if it has WhatsApp fields. */
function chooseChannel(body: SendV2Body): 'sms' | 'whatsapp' {
  return body.channel ?? (WHATSAPP_FIELDS.some((field) => field in body) ? 'whatsapp' : 'sms');
}

function planContent(body: SendV2Body, options: PlanOptions, problems: WordedProblem[]): PlannedContent | null {
  if (chooseChannel(body) === 'sms') {
    for (const field of WHATSAPP_FIELDS.filter((name) => name in body))
      problems.push({ field, rule: 'must not be sent with the channel sms' });
    return planSms(body, options, problems);
  }
  if (body.type !== undefined) return planRich(body, body.type, problems);
  for (const field of ['context', ...RICH_TYPES]) {
    if (field in body) problems.push({ field, rule: 'must be sent together with type' });
  }
  if (body.template_id !== undefined) return planTemplate(body, body.template_id, problems);
  if (body.media_url !== undefined) return planMedia(body, body.media_url, problems);
  if (body.template_data !== undefined) {
    problems.push({ field: 'template_data', rule: 'must be sent together with template_id or media_url' });
  }
  const text = requireText(body, problems);
  if (isLongerThan(text, WHATSAPP_TEXT_LIMIT)) problems.push(createLengthProblem('message', TEXT_TOO_LONG));
  return { type: 'text', text, previewUrl: body.preview_url ?? false };
}

function planRich(body: SendV2Body, type: RichType, problems: WordedProblem[]): PlannedContent {
  for (const field of FIELDS_WITHOUT_TYPE) {
    if (field in body) problems.push({ field, rule: 'must not be sent together with type' });
  }
  const fields = RICH_TYPES.filter((name) => name in body).map((name) => [name, body[name]]);
  const input = { ...Object.fromEntries(fields), type, ...(body.context && { context: body.context }) } as RichInput;
  problems.push(...checkRich(input));
  return { type: 'rich', input };
}

function planSms(body: SendV2Body, { smsMaxChars }: PlanOptions, problems: WordedProblem[]): PlannedContent {
  const text = requireText(body, problems);
  if (smsMaxChars > 0 && isLongerThan(text, smsMaxChars)) {
    problems.push({ field: 'message', rule: `must not be longer than ${smsMaxChars} characters` });
  }
  return { type: 'sms', text };
}

function planTemplate(body: SendV2Body, templateId: string, problems: WordedProblem[]): PlannedContent {
  if (body.media_url !== undefined) {
    problems.push({ field: 'media_url', rule: 'must not be sent together with template_id' });
  }
  const { name, language, components } = body.template_data ?? {};
  return {
    type: 'template',
    idOrName: name ?? templateId,
    field: name === undefined ? 'template_id' : 'template_data.name',
    language: language?.code ?? null,
    components: withoutNullFields(components ?? []),
    text: readMessageText(body),
  };
}

function planMedia(body: SendV2Body, url: string, problems: WordedProblem[]): PlannedContent | null {
  const caption = readMessageText(body);
  if (isLongerThan(caption, WHATSAPP_CAPTION_LIMIT)) problems.push(createLengthProblem('message', CAPTION_TOO_LONG));
  if (body.template_data === undefined) {
    problems.push({ field: 'media_url', rule: 'must be sent together with template_data.type' });
    return null;
  }
  const { type } = body.template_data;
  if (type === 'image' || type === 'document') return { type, url, caption };
  problems.push({ field: 'template_data.type', rule: 'must be image or document when media_url is sent' });
  return null;
}

/** A blank message counts as absent. */
function readMessageText({ message = '' }: SendV2Body): string {
  return isBlank(message) ? '' : message;
}

function requireText(body: SendV2Body, problems: WordedProblem[]): string {
  const text = readMessageText(body);
  if (text === '') {
    const rule = 'is required unless template_id or media_url is sent';
    problems.push({ field: 'message', rule, kind: 'missing' });
  }
  return text;
}

function createLengthProblem(field: string, sentence: string): WordedProblem {
  return { field, rule: sentence, sentence, kind: 'too-long' };
}
