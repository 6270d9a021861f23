import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { maskText } from '../../../messages/sign-in-codes/code-seal.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank } from '../../../platform/errors/field-problems.js';
import type { SignInService } from '../../../platform/generated/prisma/client.js';
import { buildCodeRequest, type CodeTemplate } from '../code-request.js';
import type { HookType } from './hook-proofs.js';

/** Possible paths of each field, of which the first existing path is used. */
interface FieldPaths {
  to: readonly string[];
  text: readonly string[];
  code: readonly string[];
}

const FIELDS: Readonly<Record<HookType, FieldPaths>> = {
  // Supabase's "Send SMS Hook" sends no text, so Heliograph's own text is used.
  supabase: { to: ['sms.phone', 'user.phone'], text: [], code: ['sms.otp'] },
  // Auth0's custom SMS gateway sends `body`, and the Action of docs/send/sign-in-hooks.md sends `text` and `code`.
  // https://auth0.com/docs/authenticate/passwordless/authentication-methods/use-sms-gateway-passwordless
  auth0: { to: ['recipient'], text: ['body', 'text'], code: ['code'] },
  // Source: ZITADEL, "Webhook / HTTP provider": https://zitadel.com/docs/guides/manage/customize/notification-providers
  zitadel: {
    to: ['contextInfo.recipientPhoneNumber'],
    text: ['templateData.text'],
    code: ['args.code', 'args.otp'],
  },
  // Source: authentik, "SMS authenticator setup stage", provider Generic.
  authentik: { to: ['To'], text: ['Body'], code: [] },
  // In netzbegruenung's keycloak-mfa-plugins, the field names can be configured.
  keycloak: { to: ['to'], text: ['message'], code: [] },
  // FusionAuth, "Generic Messenger": https://fusionauth.io/docs/customize/email-and-messages/generic-messenger
  fusionauth: { to: ['phoneNumber'], text: ['textMessage'], code: [] },
};

export interface HookMessage {
  /** Digits with country code. */
  to: string;
  text: string | null;
  code: string | null;
}

/** @throws {AppError} INVALID_REQUEST naming the missing or invalid field */
export function readHookMessage(type: HookType, body: unknown): HookMessage {
  const { to: toFields, text: textFields, code: codeFields } = FIELDS[type];
  const phone = readText(body, toFields);
  const to = phone === null ? null : extractDigits(phone);
  if (to === null) throw invalidField(toFields.at(-1) as string, 'must be a phone number with its country code');
  const text = readText(body, textFields);
  const code = readText(body, codeFields);
  if (code !== null && !/^[A-Za-z0-9-]{4,15}$/.test(code)) {
    throw invalidField(codeFields[0] as string, 'must be a code of 4 to 15 letters and digits');
  }
  if (text === null && (code === null || textFields.length > 0)) {
    throw invalidField((textFields[0] ?? codeFields[0]) as string, 'is required');
  }
  return { to, text, code };
}

function readText(body: unknown, fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = field
      .split('.')
      .reduce<unknown>((part, name) => (isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined), body);
    if (typeof value === 'string' && !isBlank(value)) return value;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `body` has a mask in place of the code or text, because no database row may contain the code. */
export interface HookSend {
  body: SendV2Body;
  secret: string;
}

/**
 * Prefers the service's WhatsApp template if the code is known, with Heliograph's own SMS text as fallback. If the
 * template cannot be used, sends the login system's text by SMS, or Heliograph's own text if there is only a code.
 */
export function buildHookSend(service: SignInService, { to, text, code: inputCode }: HookMessage): HookSend {
  const { appName, sender, locale } = service;
  const whatsapp = toServiceTemplate(service);
  const soleDigits = text !== null && /^\s*(\d{4,10})\s*$/.exec(text)?.[1];
  const code = inputCode ?? (soleDigits || findSoleCode(text ?? ''));
  const codeText = { appName, ...(locale !== null && { locale }) };
  if (code !== null && (whatsapp || text === null || soleDigits)) {
    return { body: buildCodeRequest({ to, sender, text: codeText, whatsapp }, maskText(code)), secret: code };
  }
  const secret = text as string;
  return { body: { to, from: sender, channel: 'sms', message: maskText(secret), priority: 3 }, secret };
}

export function toServiceTemplate({ whatsappFrom, templateId, templateLanguage }: SignInService): CodeTemplate | null {
  if (whatsappFrom === null || templateId === null) return null;
  return { from: whatsappFrom, id: templateId, language: templateLanguage ?? undefined };
}

function findSoleCode(text: string): string | null {
  const codes = new Set(text.match(/(?<![\p{L}\p{N}])\d{4,10}(?![\p{L}\p{N}])/gu));
  return codes.size === 1 ? ([...codes][0] as string) : null;
}
