import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { isOneEditAway } from '../../../platform/text/nearest.js';

/** The check covers only Heliograph's own API, because Twilio's and Meta's clients expect unknown fields to be ignored. */
const SURFACES = /^\/(?:v1\.0|v2(?!\/Services\/)|api\/v1)\//;

/** Names with fewer letters are not checked, because they are too often one letter away from another name. */
const MIN_LETTERS = 6;

/** Names that other APIs use for the send time. */
const SCHEDULE_ALIASES = new Set(['send_at', 'sendAt', 'scheduleAt']);
const SCHEDULE_FIELDS = ['scheduled_at', 'scheduledAt'];

interface BodySchema {
  properties?: Record<string, { deprecated?: boolean }>;
  required?: readonly string[];
}

type BodyValidator = (body: unknown) => true | { error: Error };

/**
 * Refuses misspelled top-level fields, because with `schedule_at` in place of `scheduled_at` a message would be sent
 * immediately.
 * @param validate the validator of the route's body
 */
export function withSpellingCheck(url: string, schema: unknown, validate: BodyValidator): BodyValidator {
  const { properties, required = [] } = schema as BodySchema;
  if (!properties || !SURFACES.test(url)) return validate;
  const knownFields = new Set(Object.keys(properties));
  const options = [...knownFields].filter((name) => !required.includes(name) && !properties[name]?.deprecated);
  return (body) => {
    const problems = findMisspelled(body, knownFields, options);
    return problems.length > 0 ? { error: invalidFields(problems) } : validate(body);
  };
}

const NONE_MISSPELLED: readonly FieldProblem[] = [];

function findMisspelled(
  body: unknown,
  knownFields: ReadonlySet<string>,
  options: readonly string[],
): readonly FieldProblem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return NONE_MISSPELLED;
  const fields = body as Record<string, unknown>;
  const unknownFields: string[] = [];
  for (const field in fields) if (!knownFields.has(field)) unknownFields.push(field);
  if (unknownFields.length === 0) return NONE_MISSPELLED;
  const absentOptions = options.filter((name) => !Object.hasOwn(fields, name) || fields[name] === null);
  return unknownFields.flatMap((field) => {
    const intended = absentOptions.find((option) => mayMean(field, option));
    return intended === undefined ? [] : [{ field, rule: `is not a field of this request; did you mean ${intended}?` }];
  });
}

function mayMean(field: string, option: string): boolean {
  if (SCHEDULE_ALIASES.has(field) && SCHEDULE_FIELDS.includes(option)) return true;
  // Lengths are compared first, because comparing them is cheap and most unknown fields differ in length.
  if (Math.abs(field.length - option.length) > 1 || !isOneEditAway(field, option)) return false;
  return (field.match(/\p{L}/gu) ?? []).length >= MIN_LETTERS;
}
