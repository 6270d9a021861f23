import { NULL_IS_ABSENT } from '../validation.js';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: object[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  [NULL_IS_ABSENT]?: boolean;
}

/** In the schema of a body in which null counts as absent, allows null for every optional field. */
export function withNulls(body: unknown): unknown {
  return (body as Schema)[NULL_IS_ABSENT] ? allowNulls(body as Schema) : body;
}

function allowNulls(schema: Schema): Schema {
  const { properties, required = [], items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          required.includes(name) ? allowNulls(property) : allowNull(allowNulls(property)),
        ]),
      ),
    }),
    ...(items && { items: allowNulls(items) }),
  };
}

function allowNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema;
  if (anyOf) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  return {
    ...schema,
    ...(type && { type: [...new Set([type, 'null'].flat())] }),
    ...(values && { enum: [...values, null] }),
  };
}
