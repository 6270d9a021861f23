import type { TSchema } from '@sinclair/typebox';

/** The parts of a schema that are looked into. */
interface Part {
  type?: unknown;
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
  additionalProperties?: unknown;
}

/**
 * The same schema, refusing fields that it does not name, however deep. An object that says itself what else it takes, such
 * as the components of a template, stays as it is. Bodies of the console are closed so that nobody can slip in a value
 * that the server is to decide, and a misspelled field is not ignored in silence.
 */
export function closed<T extends TSchema>(schema: T): T {
  const { properties, items, anyOf, additionalProperties } = schema as Part;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, closed(each)])),
      additionalProperties: additionalProperties ?? false,
    }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
  };
}
