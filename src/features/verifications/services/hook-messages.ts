import { digitsOfWritten } from '../../../carriers/numbers/written-numbers.js';
import { maskFor } from '../../../messages/codes/code-seal.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank } from '../../../platform/errors/field-problems.js';
import type { SignInService } from '../../../platform/generated/prisma/client.js';
import { type CodeTemplate, codeSend } from '../code-send.js';
import type { HookType } from './proofs.js';

/** Where a login system's request has what; the first that is there counts. */
interface Fields {
  to: readonly string[];
  /** What is to be sent. */
  text: readonly string[];
  /** The code by itself. */
  code: readonly string[];
}

const FIELDS: Readonly<Record<HookType, Fields>> = {
  // Supabase, "Send SMS Hook". The text is ours: theirs is not told.
  supabase: { to: ['sms.phone', 'user.phone'], text: [], code: ['sms.otp'] },
  // Auth0, "Set Up Custom SMS Gateway for Passwordless Connections"; the Action of docs/sign-in-hooks.md sends the others.
  // https://auth0.com/docs/authenticate/passwordless/authentication-methods/use-sms-gateway-passwordless
  auth0: { to: ['recipient'], text: ['body', 'text'], code: ['code'] },
  // ZITADEL, "Webhook / HTTP provider": https://zitadel.com/docs/guides/manage/customize/notification-providers
  zitadel: { to: ['contextInfo.recipientPhoneNumber'], text: ['templateData.text'], code: ['args.code', 'args.otp'] },
  // authentik, "SMS authenticator setup stage", provider Generic.
  authentik: { to: ['To'], text: ['Body'], code: [] },
  // keycloak-mfa-plugins of netzbegruenung, whose names are settings.
  keycloak: { to: ['to'], text: ['message'], code: [] },
  // FusionAuth, "Generic Messenger": https://fusionauth.io/docs/customize/email-and-messages/generic-messenger
  fusionauth: { to: ['phoneNumber'], text: ['textMessage'], code: [] },
};

/** What a login system wants sent. */
export interface HookMessage {
  /** Digits with country code. */
  to: string;
  text: string | null;
  code: string | null;
}

/**
 * Reads a login system's request.
 * @throws {AppError} INVALID_REQUEST naming the field that is missing or breaks a rule
 */
export function readHookMessage(type: HookType, body: unknown): HookMessage {
  const { to: toFields, text: textFields, code: codeFields } = FIELDS[type];
  const written = textIn(body, toFields);
  const to = written === null ? null : digitsOfWritten(written);
  if (to === null) throw invalidField(toFields.at(-1) as string, 'must be a phone number with its country code');
  const text = textIn(body, textFields);
  const code = textIn(body, codeFields);
  if (code !== null && !/^[A-Za-z0-9-]{4,15}$/.test(code)) {
    throw invalidField(codeFields[0] as string, 'must be a code of 4 to 15 letters and digits');
  }
  if (text === null && (code === null || textFields.length > 0)) {
    throw invalidField((textFields[0] ?? codeFields[0]) as string, 'is required');
  }
  return { to, text, code };
}

function textIn(body: unknown, fields: readonly string[]): string | null {
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

/** A send, with a mask in the place of what must be in no row. */
export interface HookSend {
  body: SendV2Body;
  secret: string;
}

/**
 * How a message of a login system leaves: by the service's template of WhatsApp, where it has one and the code is known, with an SMS
 * in our words where that fails; else by SMS in its own words, or in ours where there is nothing but a code.
 */
export function hookSend(service: SignInService, { to, text, code: given }: HookMessage): HookSend {
  const { appName, sender, locale } = service;
  const whatsapp = templateOf(service);
  const alone = text !== null && /^\s*(\d{4,10})\s*$/.exec(text)?.[1];
  const code = given ?? (alone || soleCodeIn(text ?? ''));
  const words = { appName, ...(locale !== null && { locale }) };
  if (code !== null && (whatsapp || text === null || alone)) {
    return { body: codeSend({ to, sender, text: words, whatsapp }, maskFor(code)), secret: code };
  }
  const secret = text as string;
  return { body: { to, from: sender, channel: 'sms', message: maskFor(secret), priority: 3 }, secret };
}

/** The template of a service; null without one. */
export function templateOf({ whatsappFrom, templateId, templateLanguage }: SignInService): CodeTemplate | null {
  if (whatsappFrom === null || templateId === null) return null;
  return { from: whatsappFrom, id: templateId, language: templateLanguage ?? undefined };
}

/** The code in a text, where it has one run of 4 to 10 digits, or one that is repeated. */
function soleCodeIn(text: string): string | null {
  const found = new Set(text.match(/(?<![\p{L}\p{N}])\d{4,10}(?![\p{L}\p{N}])/gu));
  return found.size === 1 ? ([...found][0] as string) : null;
}
