import { countParts, MAX_PARTS } from '../../../carriers/sms/segments.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import { createMemberShortener } from '../../links/shortening/for-members.js';
import { type Shortener, shortenText } from '../../links/shortening/shorten-text.js';
import { fillText, hasPlaceholders, MissingVariable } from '../../placeholders/placeholders.js';
import type { MemberMessage, TextContent } from './content.js';

export const MAX_OPT_OUT_LINE = 160;

/** @throws {AppError} INVALID_REQUEST */
export function checkText({ text, optOutLine }: TextContent, maxLength: number): void {
  if (isBlank(text) || isLongerThan(text, maxLength)) {
    throw invalidField('text', `must be a text of 1 to ${maxLength} characters, with at least one visible character`);
  }
  if (countParts(appendLine(text, optOutLine)) > MAX_PARTS) {
    throw invalidField('text', `must not need more than ${MAX_PARTS} SMS parts`);
  }
  checkOptOutLine(optOutLine);
}

/** @throws {AppError} INVALID_REQUEST */
export function checkOptOutLine(line: string | null): void {
  if (line === null) return;
  if (isBlank(line) || isLongerThan(line, MAX_OPT_OUT_LINE)) {
    throw invalidField('optOutLine', `must be null, or a text of 1 to ${MAX_OPT_OUT_LINE} characters`);
  }
  if (hasPlaceholders(line)) throw invalidField('optOutLine', 'must not contain placeholders');
}

/**
 * Skips members for whom a variable has no value, or whose text would be blank or too long.
 * @param maxLength in Unicode code points, without the opt-out line
 * @param shortener null: links stay as they are
 */
export function prepareTextMessage(
  { text, optOutLine }: TextContent,
  campaignVariables: Readonly<Record<string, string>> | null,
  maxLength: number,
  shortener: Omit<Shortener, 'origins'> | null = null,
): MemberMessage {
  const isPersonal = hasPlaceholders(text);
  const createShortener = shortener && createMemberShortener(shortener, [text], campaignVariables);
  return {
    shared: isPersonal || optOutLine !== null || createShortener ? null : { body: text, content: null },
    needsEarlierMessages: optOutLine !== null,
    compose: (contact, { variables: memberVariables, isFirst }) => {
      if (contact.phone === null) return null;
      const values = { contact, variables: { ...campaignVariables, ...memberVariables } };
      const written = isPersonal ? fillOrNull(text, values) : text;
      if (written === null) return null;
      const { text: filled, links } = createShortener
        ? shortenText(written, createShortener({ fields: contact.fields, variables: memberVariables }))
        : { text: written, links: [] };
      if (isBlank(filled) || isLongerThan(filled, maxLength)) return null;
      const body = appendLine(filled, isFirst ? optOutLine : null);
      return countParts(body) > MAX_PARTS ? null : { body, content: null, links };
    },
  };
}

function fillOrNull(text: string, values: Parameters<typeof fillText>[1]): string | null {
  try {
    return fillText(text, values);
  } catch (error) {
    if (error instanceof MissingVariable) return null;
    throw error;
  }
}

function appendLine(text: string, line: string | null): string {
  return line === null ? text : `${text}\n${line}`;
}
