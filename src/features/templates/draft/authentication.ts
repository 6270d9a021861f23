import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { findBrokenLineRule } from './texts.js';

/** `submitted` and `stored` differ in authentication templates, because Meta writes their texts. */
export interface DraftPart {
  submitted: DraftComponent;
  stored: DraftComponent;
}

const MAX_MINUTES = 90;
/** Meta, "One-tap autofill", "Zero-tap". */
const MAX_APPS = 5;
const PACKAGE_NAME = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const SIGNATURE_HASH = /^[A-Za-z0-9+/=%]{11,16}$/;
const OTP_TYPES = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];
const BUTTON_TEXT_LIMIT = 25;
const BODY = '*{{1}}* is your verification code.';
const ADVICE = ' For your security, do not share this code.';

/**
 * Meta's English text is stored until a sync provides the template's actual text (Meta, "Authentication templates").
 */
export function buildAuthenticationPart(input: DraftComponentInput, path: string, report: Report): DraftPart {
  const type = input.type.toUpperCase();
  const unchanged = { submitted: { type }, stored: { type } };
  if (type === 'BODY') {
    refuseText(input, path, report, 'BODY');
    const advice = input.add_security_recommendation === true;
    const fields = { type, ...(advice && { add_security_recommendation: true }) };
    return { submitted: fields, stored: { ...fields, text: advice ? BODY + ADVICE : BODY } };
  }
  if (type === 'FOOTER') {
    refuseText(input, path, report, 'FOOTER');
    const { code_expiration_minutes: minutes } = input;
    if (minutes === undefined || minutes < 1 || minutes > MAX_MINUTES) {
      report(`${path}.code_expiration_minutes`, `must be an integer from 1 to ${MAX_MINUTES}`);
    }
    const fields = { type, code_expiration_minutes: minutes };
    return { submitted: fields, stored: { ...fields, text: `This code expires in ${minutes} minutes.` } };
  }
  if (type === 'BUTTONS') return buildCodeButton(input, path, report);
  report(`${path}.type`, 'must be BODY, FOOTER or BUTTONS in the category AUTHENTICATION');
  return unchanged;
}

function refuseText({ text }: DraftComponentInput, path: string, report: Report, type: string): void {
  if (text === undefined) return;
  report(`${path}.text`, `must not be sent in the category AUTHENTICATION: Meta writes the ${type}`);
}

function buildCodeButton({ buttons = [] }: DraftComponentInput, path: string, report: Report): DraftPart {
  const type = 'BUTTONS';
  const [button] = buttons;
  const buttonPath = `${path}.buttons[0]`;
  const { text, otp_type: otpType = '', type: _type, example: _example, ...more } = button ?? { type };
  const normalizedType = otpType.toUpperCase();
  if (buttons.length !== 1 || button?.type.toUpperCase() !== 'OTP' || !OTP_TYPES.includes(normalizedType)) {
    const rule = 'must contain one button of type OTP with otp_type COPY_CODE, ONE_TAP or ZERO_TAP';
    report(`${path}.buttons`, rule);
  } else if (normalizedType !== 'COPY_CODE') checkApps(button, normalizedType, buttonPath, report);
  report(`${buttonPath}.text`, text === undefined ? null : findBrokenLineRule(text, BUTTON_TEXT_LIMIT, 0));
  const submitted = { ...more, type: 'OTP', otp_type: normalizedType, ...(text !== undefined && { text }) };
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${normalizedType}&code=otp{{1}}`;
  return {
    submitted: { type, buttons: [submitted] },
    stored: { type, buttons: [{ type: 'URL', text: text ?? 'Copy code', url }] },
  };
}

function checkApps(button: ButtonInput, normalizedType: string, path: string, report: Report): void {
  const { autofill_text: autofill, supported_apps: supportedApps, package_name, signature_hash } = button;
  if (autofill !== undefined) {
    const text = typeof autofill === 'string' ? autofill : undefined;
    report(`${path}.autofill_text`, findBrokenLineRule(text, BUTTON_TEXT_LIMIT, 0));
  }
  if (normalizedType === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true) {
    report(`${path}.zero_tap_terms_accepted`, "must be true to accept Meta's terms for ZERO_TAP");
  }
  const hasList = supportedApps !== undefined;
  const apps = hasList ? supportedApps : [{ package_name, signature_hash }];
  if (!Array.isArray(apps) || apps.length === 0 || apps.length > MAX_APPS) {
    const example = '[{"package_name": "com.example.shop", "signature_hash": "K8a/AINcGX7"}]';
    report(`${path}.supported_apps`, `must be an array of 1 to ${MAX_APPS} apps, such as ${example}`);
    return;
  }
  for (const [index, app] of (apps as unknown[]).entries()) {
    const appPath = hasList ? `${path}.supported_apps[${index}]` : path;
    const { package_name: name, signature_hash: hash } = (app ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || !PACKAGE_NAME.test(name)) {
      report(`${appPath}.package_name`, 'must be an Android package name such as com.example.shop');
    }
    if (typeof hash !== 'string' || !SIGNATURE_HASH.test(hash)) {
      report(`${appPath}.signature_hash`, "must be the app's signature hash of 11 characters");
    }
  }
}
