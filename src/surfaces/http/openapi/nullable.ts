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

/** The schema of a body as the document shows it: where null counts as absent, it is allowed wherever it may be sent. */
export function withNulls(body: unknown): unknown {
  return (body as Schema)[NULL_IS_ABSENT] ? inside(body as Schema) : body;
}

function inside(schema: Schema): Schema {
  const { properties, required = [], items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [
          name,
          required.includes(name) ? inside(each) : orNull(inside(each)),
        ]),
      ),
    }),
    ...(items && { items: inside(items) }),
  };
}

function orNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema;
  if (anyOf) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  return {
    ...schema,
    ...(type && { type: [...new Set([type, 'null'].flat())] }),
    ...(values && { enum: [...values, null] }),
  };
}
