import type { DraftComponentInput } from './draft-input.js';
import { brokenLineRule } from './draft-texts.js';

/** Tells a field and the rule that it breaks. */
export type Report = (field: string, rule: string) => void;

/** A component as it is handed in, and as it is held: for authentication Meta writes the texts itself. */
export interface DraftPart {
  handedIn: { type: string } & Record<string, unknown>;
  held: { type: string } & Record<string, unknown>;
}

const MAX_MINUTES = 90;
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

function codeButton({ buttons = [] }: DraftComponentInput, path: string, report: Report): DraftPart {
  const type = 'BUTTONS';
  const [button] = buttons;
  const { text } = button ?? {};
  if (buttons.length !== 1 || button?.type.toUpperCase() !== 'OTP' || button.otp_type?.toUpperCase() !== 'COPY_CODE') {
    const rule = 'must hold one button, of the type OTP and the otp_type COPY_CODE; others are made at Meta and synced';
    report(`${path}.buttons`, rule);
  }
  const rule = text === undefined ? null : brokenLineRule(text, BUTTON_TEXT_LIMIT, 0);
  if (rule) report(`${path}.buttons[0].text`, rule);
  const handedIn = { type: 'OTP', otp_type: 'COPY_CODE', ...(text !== undefined && { text }) };
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
  return {
    handedIn: { type, buttons: [handedIn] },
    held: { type, buttons: [{ type: 'URL', text: text ?? 'Copy code', url }] },
  };
}
