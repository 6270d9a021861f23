import type { HttpAnswer } from '../../http/client.js';
import type { AnswerPlan, Finder, Meaning, PartsPlan } from '../plan.js';
import { parseExact } from './exact-json.js';
import type { Subject } from './expression.js';
import { textOf, valueAt } from './json-path.js';

/** Patterns look at the beginning of an answer only. */
const LOOKED_AT = 64 * 1024;
/** As long as a vendor's code and words may be where clients read them. */
const LONGEST_CODE = 60;
const LONGEST_TEXT = 300;

/** What an answer says: the message was taken, under an id where one was given; or it was not, and why. */
export type Outcome =
  /** `parts`: ids of its parts, in order; empty where they have none of their own. */
  | { taken: true; id: string | null; parts: string[] }
  /** `partTaken`: another part of it was, so that it may not go out again. */
  | { taken: false; partTaken: boolean; meaning: Meaning; code: string; message: string | null };

/** An answer as conditions and paths see it. */
export function subjectOf({ status, text }: Pick<HttpAnswer, 'status' | 'text'>): Subject {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    // Nothing stands at any path of it.
  }
  return { status, text: text.slice(0, LOOKED_AT), value };
}

/** Null where nothing is found. */
export function find(finder: Finder | null, { value, text }: Subject): string | null {
  if (finder === null) return null;
  if ('pattern' in finder) return finder.pattern.exec(text)?.[1] ?? null;
  for (const path of finder.paths) {
    const found = textOf(valueAt(value, path));
    if (found !== null) return found;
  }
  return null;
}

/** What became of the message that an answer is about. */
export function outcomeOf(answer: Pick<HttpAnswer, 'status' | 'text'>, plan: AnswerPlan): Outcome {
  const subject = subjectOf(answer);
  const { refused, isTaken } = judgeParts(subject, plan);
  if (refused.length === 0 && plan.success(subject)) {
    return { taken: true, id: find(plan.id, subject), parts: partsIn(subject, plan) };
  }
  const whole = { code: find(plan.code, subject), message: find(plan.message, subject) };
  const given = plan.cases?.find(({ when }) => when(subject))?.meaning;
  const [worst] = (refused.length > 0 ? refused : [whole])
    .map(({ code, message }) => {
      const told = code?.slice(0, LONGEST_CODE) ?? null;
      const isTheirs = told !== null && !(isSuccess(answer.status) && SUCCESS_CODE.test(told));
      const meaning = given ?? (told === null ? null : meaningOf(told, plan)) ?? ofStatus(answer.status, isTheirs);
      return { meaning, code: told ?? `HTTP_${answer.status}`, message: message?.slice(0, LONGEST_TEXT) ?? null };
    })
    .sort((one, other) => WORST_FIRST.indexOf(one.meaning) - WORST_FIRST.indexOf(other.meaning));
  return { taken: false, partTaken: isTaken, ...(worst as NonNullable<typeof worst>) };
}

/**
 * Codes with which vendors report success. A response with such a code and without a message ID is not a refusal: the vendor may
 * have accepted the message.
 */
const SUCCESS_CODE =
  /^(?:success(?:ful)?|ok|okay|accepted|queued|pending|sent|submitted|done|true|none|null|0+|2\d\d)\.?$/i;

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** A message of which one part was refused for good must not be repeated for the sake of another that was throttled. */
const WORST_FIRST: readonly Meaning[] = ['lost', 'final', 'credentials', 'credit', 'throttled', 'again'];

interface PartRefusal {
  code: string | null;
  message: string | null;
}

/** Which parts were refused, and whether another one was taken. Nothing of a vendor that does not report on parts. */
function judgeParts(subject: Subject, { parts }: AnswerPlan): { refused: PartRefusal[]; isTaken: boolean } {
  if (!parts) return { refused: [], isTaken: false };
  const list = listOf(subject, parts);
  const refused = list
    .filter((each) => textOf(valueAt(each, parts.status)) !== parts.taken)
    .map((each) => ({ code: textOf(valueAt(each, parts.status)), message: textOf(valueAt(each, parts.message)) }));
  return { refused, isTaken: refused.length < list.length };
}

function listOf({ value }: Subject, { items }: PartsPlan): unknown[] {
  const list = valueAt(value, items);
  return Array.isArray(list) ? list : [];
}

function partsIn(subject: Subject, { parts }: AnswerPlan): string[] {
  if (!parts) return [];
  const ids = listOf(subject, parts).map((each) => textOf(valueAt(each, parts.id)));
  return ids.every((id) => id !== null) ? (ids as string[]) : [];
}

function meaningOf(code: string, { meanings }: AnswerPlan): Meaning | null {
  const all = Object.entries(meanings) as [Meaning, readonly string[]][];
  const exact = all.find(([, codes]) => codes.includes(code));
  if (exact) return exact[0];
  const fits = (each: string) => each.endsWith('*') && code.startsWith(each.slice(0, -1));
  return all.find(([, codes]) => codes.some(fits))?.[0] ?? null;
}

/**
 * What a status says that the vendor's code does not (RFC 9110, 15). A server that failed may have taken the message before;
 * one that says it is unavailable has not.
 * @param isTheirs the response has an error code of the vendor, so it does not come from a proxy
 */
function ofStatus(status: number, isTheirs: boolean): Meaning {
  if (status === 429) return 'throttled';
  if (status === 402) return 'credit';
  if (status === 401 || status === 403 || status === 407) return 'credentials';
  if (status === 408 || status === 425 || status === 503) return 'again';
  if (status >= 500) return 'lost';
  if (status >= 400 && status !== 404 && status !== 405) return 'final';
  if (isTheirs) return 'final';
  // An address that is wrong, or a page of somebody between.
  return status >= 300 ? 'again' : 'lost';
}
