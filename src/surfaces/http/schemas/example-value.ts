interface ExampleSchema {
  type?: unknown;
  examples?: readonly unknown[];
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  properties?: Record<string, ExampleSchema>;
  required?: readonly string[];
  items?: ExampleSchema;
  anyOf?: readonly ExampleSchema[];
}

/** Returns a valid value as JSON for an error message: the schema's own example, or a value with only the required fields. */
export function writeExample(schema: object): string {
  return JSON.stringify(findExample(schema), null, 1)
    .replaceAll(/([{[])\n */g, '$1')
    .replaceAll(/\n *([}\]])/g, '$1')
    .replaceAll(/\n */g, ' ');
}

function findExample(schema: ExampleSchema): unknown {
  const { examples = [], enum: values = [], anyOf = [], properties = {}, required = [] } = schema;
  const [example = schema.const ?? values[0] ?? schema.default] = examples;
  if (example !== undefined) return example;
  if (anyOf[0]) return findExample(anyOf[0]);
  if (schema.type === 'object') {
    const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
    return Object.fromEntries(names.map((name) => [name, findExample(properties[name] ?? {})]));
  }
  if (schema.type === 'array') return schema.items ? [findExample(schema.items)] : [];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'number' || schema.type === 'integer') return schema.minimum ?? 1;
  return schema.format === 'uri' ? 'https://example.com/' : 'Hello';
}
