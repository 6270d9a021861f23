import type { ChannelPause } from '../../carrier.js';
import type { Restriction, StandingNews } from '../../standing.js';
import type { TemplateNews } from '../../templates.js';
import { newTemplateStatus } from '../templates.js';
import { asObject, digitsOf, type Json, objects, textOf, timeOf } from './fields.js';

/** What is said of the numbers of a WhatsApp Business account. */
export interface AccountNews {
  /** Digits of the number that it is about, or Meta's id of it; null: of all of the account. */
  phoneNumber: string | null;
  phoneNumberId: string | null;
  standing: StandingNews;
  /** They can send nothing any more. */
  pause?: ChannelPause;
}

/** Fields that concern a whole account, whose callbacks name no number of ours in their metadata. */
type Reader<News> = (value: Json, at: Date) => News | null;

/** What each field says of a template ("Webhooks: message_template_status_update" and those beside it). */
const TEMPLATE_FIELDS: ReadonlyMap<unknown, Reader<TemplateNews>> = new Map<unknown, Reader<TemplateNews>>([
  [
    'message_template_status_update',
    (value, at) => {
      const status = newTemplateStatus(value.event);
      return status === undefined ? null : templateNews(value, at, status === null ? {} : { status });
    },
  ],
  [
    'message_template_quality_update',
    (value, at) => {
      const quality = textOf(value.new_quality_score);
      return quality === null ? null : templateNews(value, at, { quality });
    },
  ],
  [
    'template_category_update',
    (value, at) => {
      // One that is announced for tomorrow has `correct_category` alone, and changes nothing yet.
      const category = textOf(value.new_category);
      const isAnnounced = textOf(value.correct_category) !== null;
      return category === null && !isAnnounced ? null : templateNews(value, at, category === null ? {} : { category });
    },
  ],
]);

/** And of numbers and the account. */
const ACCOUNT_FIELDS: ReadonlyMap<unknown, Reader<AccountNews>> = new Map<unknown, Reader<AccountNews>>([
  ['phone_number_quality_update', readQuality],
  ['business_capability_update', readCapability],
  ['account_update', readAccount],
  ['account_alerts', readAlert],
]);

/** Whether this version reads a field of this name. */
export function isAccountField(field: unknown): boolean {
  return TEMPLATE_FIELDS.has(field) || ACCOUNT_FIELDS.has(field);
}

/** Null where it is of another field, or lacks what it must have. @param time seconds since 1970 of the callback */
export function readTemplateNews(field: unknown, value: Json, time: unknown, now: Date): TemplateNews | null {
  return TEMPLATE_FIELDS.get(field)?.(value, timeOf(time, now)) ?? null;
}

export function readAccountNews(field: unknown, value: Json, time: unknown, now: Date): AccountNews | null {
  return ACCOUNT_FIELDS.get(field)?.(value, timeOf(time, now)) ?? null;
}

/** Meta's reference writes languages as `en-US` in webhooks, and as `en_US` wherever templates are made, listed and sent. */
function templateNews(value: Json, at: Date, news: Partial<TemplateNews>): TemplateNews | null {
  const name = textOf(value.message_template_name);
  const language = textOf(value.message_template_language)?.replaceAll('-', '_');
  return name === null || language === undefined ? null : { name, language, at, ...news };
}

/** FLAGGED says that the quality is low, UNFLAGGED that it is not any more; the others tell another limit. */
function readQuality(value: Json, at: Date): AccountNews | null {
  const event = textOf(value.event);
  const phoneNumber = writtenDigits(value.display_phone_number);
  if (event === null || phoneNumber === null) return null;
  const messagingLimit = wordOf(value.max_daily_conversations_per_business) ?? wordOf(value.current_limit);
  const quality = QUALITIES.get(event);
  const standing: StandingNews = {
    at,
    ...(messagingLimit !== null && { messagingLimit }),
    ...(quality !== undefined && { quality }),
    notice: { event, severity: null, text: '' },
  };
  return { phoneNumber, phoneNumberId: null, standing };
}

const QUALITIES: ReadonlyMap<string, string | null> = new Map([
  ['FLAGGED', 'RED'],
  ['UNFLAGGED', null],
]);

function readCapability(value: Json, at: Date): AccountNews | null {
  const limit = wordOf(value.max_daily_conversations_per_business) ?? wordOf(value.max_daily_conversation_per_phone);
  return limit === null ? null : { phoneNumber: null, phoneNumberId: null, standing: { at, messagingLimit: limit } };
}

function readAccount(value: Json, at: Date): AccountNews | null {
  const event = textOf(value.event);
  if (event === null) return null;
  const ban = asObject(value.ban_info)?.waba_ban_state;
  const states = (Array.isArray(ban) ? ban : [ban]).map(textOf).filter((each) => each !== null);
  const isBack = states.includes('REINSTATE');
  const text = [textOf(asObject(value.violation_info)?.violation_type), ...states].filter((each) => each !== null);
  const restrictions = isBack ? [] : event === 'ACCOUNT_RESTRICTION' ? readRestrictions(value) : undefined;
  const severity = /RESTRICTION|VIOLATION|DISABLED|DELETED/.test(event) && !isBack ? 'CRITICAL' : null;
  const reason = 'Meta disabled the WhatsApp Business account.';
  return {
    phoneNumber: writtenDigits(value.phone_number),
    phoneNumberId: null,
    standing: { at, ...(restrictions && { restrictions }), notice: { event, severity, text: text.join(', ') } },
    ...(states.includes('DISABLE') && { pause: { health: 'account_restricted', code: event, reason, at } }),
  };
}

function readRestrictions(value: Json): Restriction[] {
  return objects(value.restriction_info).flatMap(({ restriction_type, expiration }) => {
    const type = textOf(restriction_type);
    const until = timeOf(expiration, new Date(0));
    return type === null ? [] : [{ type, until: until.getTime() === 0 ? null : until.toISOString() }];
  });
}

/** The alert stands in `alert_info`, and in older callbacks beside it. */
function readAlert(value: Json, at: Date): AccountNews | null {
  const alert = asObject(value.alert_info) ?? value;
  const event = textOf(alert.alert_type);
  if (event === null) return null;
  const isOfNumber = value.entity_type === 'PHONE_NUMBER' || value.entity_type === 'PHONE';
  const text = textOf(alert.alert_description) ?? '';
  const notice = { event, severity: textOf(alert.alert_severity), text };
  return { phoneNumber: null, phoneNumberId: isOfNumber ? wordOf(value.entity_id) : null, standing: { at, notice } };
}

/** A number as people write it. */
function writtenDigits(value: unknown): string | null {
  return typeof value === 'string' ? digitsOf(value.replace(/[^\d+]/g, '')) : null;
}

/** A word or a number as text. */
function wordOf(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : textOf(value);
}
