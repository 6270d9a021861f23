import type { ChannelPause } from '../../carrier.js';
import type { ChannelStatusChange, Restriction } from '../../channel-status.js';
import type { CarrierTemplateChange } from '../../templates.js';
import { findStatusAfterEvent } from '../templates.js';
import { asObject, type Json, readObjects, readPhoneNumber, readText, readTime } from './fields.js';

export interface AccountReport {
  /** If `phoneNumber` and `phoneNumberId` are null, the report affects the whole account. */
  phoneNumber: string | null;
  phoneNumberId: string | null;
  statusChange: ChannelStatusChange;
  pause?: ChannelPause;
}

type Reader<Update> = (value: Json, at: Date) => Update | null;

/** Sources: Meta, "Webhooks: message_template_status_update" and the pages of the other two fields. */
const TEMPLATE_FIELDS: ReadonlyMap<unknown, Reader<CarrierTemplateChange>> = new Map<
  unknown,
  Reader<CarrierTemplateChange>
>([
  [
    'message_template_status_update',
    (value, at) => {
      const status = findStatusAfterEvent(value.event);
      return status === undefined ? null : buildTemplateChange(value, at, status === null ? {} : { status });
    },
  ],
  [
    'message_template_quality_update',
    (value, at) => {
      const quality = readText(value.new_quality_score);
      return quality === null ? null : buildTemplateChange(value, at, { quality });
    },
  ],
  [
    'template_category_update',
    (value, at) => {
      // Without `new_category`, `correct_category` only announces a change for the next day.
      const category = readText(value.new_category);
      const isAnnounced = readText(value.correct_category) !== null;
      return category === null && !isAnnounced
        ? null
        : buildTemplateChange(value, at, category === null ? {} : { category });
    },
  ],
]);

const ACCOUNT_FIELDS: ReadonlyMap<unknown, Reader<AccountReport>> = new Map<unknown, Reader<AccountReport>>([
  ['phone_number_quality_update', readQuality],
  ['business_capability_update', readCapability],
  ['account_update', readAccount],
  ['account_alerts', readAlert],
]);

export function isAccountField(field: unknown): boolean {
  return TEMPLATE_FIELDS.has(field) || ACCOUNT_FIELDS.has(field);
}

export function readTemplateReport(
  field: unknown,
  value: Json,
  time: unknown,
  now: Date,
): CarrierTemplateChange | null {
  return TEMPLATE_FIELDS.get(field)?.(value, readTime(time, now)) ?? null;
}

export function readAccountReport(field: unknown, value: Json, time: unknown, now: Date): AccountReport | null {
  return ACCOUNT_FIELDS.get(field)?.(value, readTime(time, now)) ?? null;
}

/** Meta writes languages as `en-US` in webhooks, but as `en_US` everywhere else. */
function buildTemplateChange(
  value: Json,
  at: Date,
  fields: Partial<CarrierTemplateChange>,
): CarrierTemplateChange | null {
  const name = readText(value.message_template_name);
  const language = readText(value.message_template_language)?.replaceAll('-', '_');
  return name === null || language === undefined ? null : { name, language, at, ...fields };
}

/**
 * The event FLAGGED means that the number's quality is low, and UNFLAGGED means that the quality has recovered. Other events
 * report a new messaging limit.
 */
function readQuality(value: Json, at: Date): AccountReport | null {
  const event = readText(value.event);
  const phoneNumber = readFormattedNumber(value.display_phone_number);
  if (event === null || phoneNumber === null) return null;
  const messagingLimit = readWord(value.max_daily_conversations_per_business) ?? readWord(value.current_limit);
  const quality = QUALITIES.get(event);
  const statusChange: ChannelStatusChange = {
    at,
    ...(messagingLimit !== null && { messagingLimit }),
    ...(quality !== undefined && { quality }),
    notice: { event, severity: null, text: '' },
  };
  return { phoneNumber, phoneNumberId: null, statusChange };
}

const QUALITIES: ReadonlyMap<string, string | null> = new Map([
  ['FLAGGED', 'RED'],
  ['UNFLAGGED', null],
]);

function readCapability(value: Json, at: Date): AccountReport | null {
  const limit =
    readWord(value.max_daily_conversations_per_business) ?? readWord(value.max_daily_conversation_per_phone);
  return limit === null
    ? null
    : { phoneNumber: null, phoneNumberId: null, statusChange: { at, messagingLimit: limit } };
}

function readAccount(value: Json, at: Date): AccountReport | null {
  const event = readText(value.event);
  if (event === null) return null;
  const ban = asObject(value.ban_info)?.waba_ban_state;
  const states = (Array.isArray(ban) ? ban : [ban]).map(readText).filter((state) => state !== null);
  const isReinstated = states.includes('REINSTATE');
  const text = [readText(asObject(value.violation_info)?.violation_type), ...states].filter((state) => state !== null);
  const restrictions = isReinstated ? [] : event === 'ACCOUNT_RESTRICTION' ? readRestrictions(value) : undefined;
  const severity = /RESTRICTION|VIOLATION|DISABLED|DELETED/.test(event) && !isReinstated ? 'CRITICAL' : null;
  const reason = 'Meta disabled the WhatsApp Business account.';
  return {
    phoneNumber: readFormattedNumber(value.phone_number),
    phoneNumberId: null,
    statusChange: { at, ...(restrictions && { restrictions }), notice: { event, severity, text: text.join(', ') } },
    ...(states.includes('DISABLE') && { pause: { health: 'account_restricted', code: event, reason, at } }),
  };
}

function readRestrictions(value: Json): Restriction[] {
  return readObjects(value.restriction_info).flatMap(({ restriction_type, expiration }) => {
    const type = readText(restriction_type);
    const until = readTime(expiration, new Date(0));
    return type === null ? [] : [{ type, until: until.getTime() === 0 ? null : until.toISOString() }];
  });
}

/** In older webhooks, the value directly contains the fields of `alert_info`. */
function readAlert(value: Json, at: Date): AccountReport | null {
  const alert = asObject(value.alert_info) ?? value;
  const event = readText(alert.alert_type);
  if (event === null) return null;
  const isAboutNumber = value.entity_type === 'PHONE_NUMBER' || value.entity_type === 'PHONE';
  const text = readText(alert.alert_description) ?? '';
  const notice = { event, severity: readText(alert.alert_severity), text };
  return {
    phoneNumber: null,
    phoneNumberId: isAboutNumber ? readWord(value.entity_id) : null,
    statusChange: { at, notice },
  };
}

function readFormattedNumber(value: unknown): string | null {
  return typeof value === 'string' ? readPhoneNumber(value.replace(/[^\d+]/g, '')) : null;
}

/** Meta sends some IDs and limits as numbers instead of text. */
function readWord(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : readText(value);
}
