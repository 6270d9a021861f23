import type { HttpAnswer } from '../../http/client.js';
import type { AnswerPlan, Finder, Meaning, PartsPlan } from '../plan.js';
import { parseExact } from './exact-json.js';
import type { Subject } from './expression.js';
import { findValue, toText } from './json-path.js';

const MAX_SUBJECT_LENGTH = 64 * 1024;
const LONGEST_CODE = 60;
const LONGEST_TEXT = 300;

export type Outcome =
  /** If each part has its own ID, `parts` contains these IDs. */
  | { isAccepted: true; id: string | null; parts: string[] }
  /** `isPartlyAccepted` means that some parts were accepted, so the message must not be sent again. */
  | { isAccepted: false; isPartlyAccepted: boolean; meaning: Meaning; code: string; message: string | null };

export function toSubject({ status, text }: Pick<HttpAnswer, 'status' | 'text'>): Subject {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    // If the body is not JSON, no path has a value.
  }
  return { status, text: text.slice(0, MAX_SUBJECT_LENGTH), value };
}

export function extractText(finder: Finder | null, subject: Subject): string | null {
  if (finder === null) return null;
  if ('pattern' in finder) return finder.pattern.exec(subject.text)?.[1] ?? null;
  for (const path of finder.paths) {
    const value = toText(findValue(subject.value, path));
    if (value !== null) return value;
  }
  return null;
}

export function readOutcome(answer: Pick<HttpAnswer, 'status' | 'text'>, plan: AnswerPlan): Outcome {
  const subject = toSubject(answer);
  const { refused, hasAccepted } = judgeParts(subject, plan);
  if (refused.length === 0 && plan.success(subject)) {
    return { isAccepted: true, id: extractText(plan.id, subject), parts: listPartIds(subject, plan) };
  }
  const wholeRefusal = { code: extractText(plan.code, subject), message: extractText(plan.message, subject) };
  const caseMeaning = plan.cases?.find(({ when }) => when(subject))?.meaning;
  const [worst] = (refused.length > 0 ? refused : [wholeRefusal])
    .map(({ code: fullCode, message }) => {
      const code = fullCode?.slice(0, LONGEST_CODE) ?? null;
      const isVendorError = code !== null && !(isSuccess(answer.status) && SUCCESS_CODE.test(code));
      const codeMeaning = code === null ? null : findCodeMeaning(code, plan);
      const meaning = caseMeaning ?? codeMeaning ?? findStatusMeaning(answer.status, isVendorError);
      return { meaning, code: code ?? `HTTP_${answer.status}`, message: message?.slice(0, LONGEST_TEXT) ?? null };
    })
    .sort((a, b) => WORST_FIRST.indexOf(a.meaning) - WORST_FIRST.indexOf(b.meaning));
  return { isAccepted: false, isPartlyAccepted: hasAccepted, ...(worst as NonNullable<typeof worst>) };
}

/** A success code without a message ID is not a refusal, because the vendor may have accepted the message. */
const SUCCESS_CODE =
  /^(?:success(?:ful)?|ok|okay|accepted|queued|pending|sent|submitted|done|true|none|null|0+|2\d\d)\.?$/i;

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** If one part is refused permanently and another is throttled, the message must not be sent again. */
const WORST_FIRST: readonly Meaning[] = ['lost', 'final', 'credentials', 'credit', 'throttled', 'again'];

interface PartRefusal {
  code: string | null;
  message: string | null;
}

function judgeParts(subject: Subject, { parts }: AnswerPlan): { refused: PartRefusal[]; hasAccepted: boolean } {
  if (!parts) return { refused: [], hasAccepted: false };
  const list = listParts(subject, parts);
  const refused = list
    .filter((part) => toText(findValue(part, parts.status)) !== parts.acceptedStatus)
    .map((part) => ({ code: toText(findValue(part, parts.status)), message: toText(findValue(part, parts.message)) }));
  return { refused, hasAccepted: refused.length < list.length };
}

function listParts({ value }: Subject, { items }: PartsPlan): unknown[] {
  const list = findValue(value, items);
  return Array.isArray(list) ? list : [];
}

function listPartIds(subject: Subject, { parts }: AnswerPlan): string[] {
  if (!parts) return [];
  const ids = listParts(subject, parts).map((part) => toText(findValue(part, parts.id)));
  return ids.every((id) => id !== null) ? (ids as string[]) : [];
}

function findCodeMeaning(code: string, { meanings }: AnswerPlan): Meaning | null {
  const entries = Object.entries(meanings) as [Meaning, readonly string[]][];
  const exact = entries.find(([, codes]) => codes.includes(code));
  if (exact) return exact[0];
  const matches = (pattern: string) => pattern.endsWith('*') && code.startsWith(pattern.slice(0, -1));
  return entries.find(([, codes]) => codes.some(matches))?.[0] ?? null;
}

/**
 * After a server error other than 503, the message may have been accepted. `isVendorError` means that the response has an error
 * code of the vendor, so the response does not come from a proxy.
 */
function findStatusMeaning(status: number, isVendorError: boolean): Meaning {
  if (status === 429) return 'throttled';
  if (status === 402) return 'credit';
  if (status === 401 || status === 403 || status === 407) return 'credentials';
  if (status === 408 || status === 425 || status === 503) return 'again';
  if (status >= 500) return 'lost';
  if (status >= 400 && status !== 404 && status !== 405) return 'final';
  if (isVendorError) return 'final';
  // A redirect or client error without a vendor code comes from a wrong URL or a proxy, so the message was not accepted.
  return status >= 300 ? 'again' : 'lost';
}
