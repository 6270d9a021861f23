import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { isOneEditAway } from '../../../platform/text/nearest.js';

/** Only our own API: Twilio and Meta ignore unknown fields, and their clients rely on it. */
const SURFACES = /^\/(?:v1\.0|v2(?!\/Services\/)|api\/v1)\//;

/** Shorter names are too often one letter away from another name. */
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
 * Unknown fields are usually ignored, but with `schedule_at` in place of `scheduled_at` the message would be sent and charged
 * immediately. Checks only top-level fields.
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
  // Cheaper first: most unknown fields differ in length.
  if (Math.abs(field.length - option.length) > 1 || !isOneEditAway(field, option)) return false;
  return (field.match(/\p{L}/gu) ?? []).length >= MIN_LETTERS;
}
