import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { brokenLineRule } from './texts.js';

/** A component as it is handed in, and as it is held: for authentication Meta writes the texts itself. */
export interface DraftPart {
  handedIn: DraftComponent;
  held: DraftComponent;
}

const MAX_MINUTES = 90;
/** Of the apps that may take a code by themselves (Meta, "One-tap autofill", "Zero-tap"). */
const MAX_APPS = 5;
const PACKAGE_NAME = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const SIGNATURE_HASH = /^[A-Za-z0-9+/=%]{11,16}$/;
const OTP_TYPES = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];
const BUTTON_TEXT_LIMIT = 25;
const BODY = '*{{1}}* is your verification code.';
const ADVICE = ' For your security, do not share this code.';

/**
 * A component of a template that brings a code (Meta, "Authentication templates"): the body is Meta's, and has the code as
 * its one parameter; so has the button that copies it. What is held is Meta's English text, until a sync brings its own.
 */
export function authenticationPart(input: DraftComponentInput, path: string, report: Report): DraftPart {
  const type = input.type.toUpperCase();
  const same = { handedIn: { type }, held: { type } };
  if (type === 'BODY') {
    refuseText(input, path, report, 'BODY');
    const advice = input.add_security_recommendation === true;
    const fields = { type, ...(advice && { add_security_recommendation: true }) };
    return { handedIn: fields, held: { ...fields, text: advice ? BODY + ADVICE : BODY } };
  }
  if (type === 'FOOTER') {
    refuseText(input, path, report, 'FOOTER');
    const { code_expiration_minutes: minutes } = input;
    if (minutes === undefined || minutes < 1 || minutes > MAX_MINUTES) {
      report(`${path}.code_expiration_minutes`, `must be an integer from 1 to ${MAX_MINUTES}`);
    }
    const fields = { type, code_expiration_minutes: minutes };
    return { handedIn: fields, held: { ...fields, text: `This code expires in ${minutes} minutes.` } };
  }
  if (type === 'BUTTONS') return codeButton(input, path, report);
  report(`${path}.type`, 'must be BODY, FOOTER or BUTTONS in the category AUTHENTICATION');
  return same;
}

function refuseText({ text }: DraftComponentInput, path: string, report: Report, type: string): void {
  if (text === undefined) return;
  report(`${path}.text`, `must not be sent in the category AUTHENTICATION: Meta writes the ${type}`);
}

/** The button that copies the code, or with which an app on the phone takes it. */
function codeButton({ buttons = [] }: DraftComponentInput, path: string, report: Report): DraftPart {
  const type = 'BUTTONS';
  const [button] = buttons;
  const at = `${path}.buttons[0]`;
  const { text, otp_type: given = '', type: _type, example: _example, ...more } = button ?? { type };
  const kind = given.toUpperCase();
  if (buttons.length !== 1 || button?.type.toUpperCase() !== 'OTP' || !OTP_TYPES.includes(kind)) {
    const rule = 'must hold one button, of the type OTP and the otp_type COPY_CODE, ONE_TAP or ZERO_TAP';
    report(`${path}.buttons`, rule);
  } else if (kind !== 'COPY_CODE') checkApps(button, kind, at, report);
  report(`${at}.text`, text === undefined ? null : brokenLineRule(text, BUTTON_TEXT_LIMIT, 0));
  const handedIn = { ...more, type: 'OTP', otp_type: kind, ...(text !== undefined && { text }) };
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${kind}&code=otp{{1}}`;
  return {
    handedIn: { type, buttons: [handedIn] },
    held: { type, buttons: [{ type: 'URL', text: text ?? 'Copy code', url }] },
  };
}

function checkApps(button: ButtonInput, kind: string, path: string, report: Report): void {
  const { autofill_text: autofill, supported_apps: listed, package_name, signature_hash } = button;
  if (autofill !== undefined) {
    const text = typeof autofill === 'string' ? autofill : undefined;
    report(`${path}.autofill_text`, brokenLineRule(text, BUTTON_TEXT_LIMIT, 0));
  }
  if (kind === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true) {
    report(`${path}.zero_tap_terms_accepted`, "must be true: Meta's terms of ZERO_TAP are to be accepted");
  }
  const isListed = listed !== undefined;
  const apps = isListed ? listed : [{ package_name, signature_hash }];
  if (!Array.isArray(apps) || apps.length === 0 || apps.length > MAX_APPS) {
    const shown = '[{"package_name": "com.example.shop", "signature_hash": "K8a/AINcGX7"}]';
    report(`${path}.supported_apps`, `must be an array of 1 to ${MAX_APPS} apps, such as ${shown}`);
    return;
  }
  for (const [index, app] of (apps as unknown[]).entries()) {
    const at = isListed ? `${path}.supported_apps[${index}]` : path;
    const { package_name: name, signature_hash: hash } = (app ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || !PACKAGE_NAME.test(name)) {
      report(`${at}.package_name`, 'must be the name of an Android package, such as com.example.shop');
    }
    if (typeof hash !== 'string' || !SIGNATURE_HASH.test(hash)) {
      report(`${at}.signature_hash`, "must be the hash of the app's signature, 11 characters");
    }
  }
}
