import type { TSchema } from '@sinclair/typebox';

interface SchemaPart {
  type?: unknown;
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
  additionalProperties?: unknown;
}

/**
 * Copies a schema so that unknown fields are refused at any depth. Objects with their own `additionalProperties`, such as
 * template components, keep their value.
 */
export function closeSchema<T extends TSchema>(schema: T): T {
  const { properties, items, anyOf, additionalProperties } = schema as SchemaPart;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, closeSchema(property)]),
      ),
      additionalProperties: additionalProperties ?? false,
    }),
    ...(items && { items: closeSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(closeSchema) }),
  };
}
