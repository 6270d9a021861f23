import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
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

/**
 * Unknown fields are usually ignored, but with `schedule_at` in place of `scheduled_at` the message would be sent and charged
 * immediately. Checks only top-level fields, and only endpoints registered later.
 */
export const misspelledFields = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { properties, required = [] } = (route.schema?.body ?? {}) as BodySchema;
      if (!properties || !SURFACES.test(route.url)) return;
      const knownFields = new Set(Object.keys(properties));
      const options = [...knownFields].filter((name) => !required.includes(name) && !properties[name]?.deprecated);
      route.preValidation = [
        (request, _reply, done) => {
          const problems = findMisspelled(request.body, knownFields, options);
          done(problems.length > 0 ? invalidFields(problems) : undefined);
        },
        ...[route.preValidation ?? []].flat(),
      ];
    });
  },
  { name: 'misspelled-fields' },
);

function findMisspelled(body: unknown, knownFields: ReadonlySet<string>, options: readonly string[]) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const fields = body as Record<string, unknown>;
  const unknownFields = Object.keys(fields).filter((field) => !knownFields.has(field));
  if (unknownFields.length === 0) return [];
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
