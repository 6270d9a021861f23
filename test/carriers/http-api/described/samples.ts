import fc from 'fast-check';

/** As reduced by scripts/cut-descriptions.mjs. */
export interface DescribedSchema {
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minimum?: number;
  properties?: Record<string, DescribedSchema>;
  items?: DescribedSchema;
  oneOf?: DescribedSchema[];
  allOf?: DescribedSchema[];
}

const SAMPLES_BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
  'date-time': '2026-11-24T11:59:00Z',
  address: '+15005550010',
  decimal: '12.34',
  int: '40300',
};

export function createSample(schema: DescribedSchema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.allOf?.some(({ properties, allOf }) => properties || allOf)) {
    return Object.assign({}, ...schema.allOf.map(createSample));
  }
  if (schema.allOf) return createSample(Object.assign({}, ...schema.allOf));
  if (schema.oneOf) return createSample(schema.oneOf[0] as DescribedSchema);
  const [type] = [schema.type ?? (schema.properties ? 'object' : 'string')].flat();
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {});
    return Object.fromEntries(entries.map(([name, property]) => [name, createSample(property)]));
  }
  if (type === 'array') return [createSample(schema.items ?? {})];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (schema.pattern) return fc.sample(fc.stringMatching(new RegExp(schema.pattern)), { numRuns: 1, seed: 1 })[0];
  return SAMPLES_BY_FORMAT[schema.format ?? ''] ?? 'word';
}

export function collectEnumValues(schema: DescribedSchema, name: string): string[] {
  const nestedSchemas = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])];
  const fields = Object.entries(schema.properties ?? {});
  const ownValues = fields.flatMap(([field, property]) => (field === name ? listEnumValues(property) : []));
  return [
    ...ownValues,
    ...[...nestedSchemas, ...fields.map(([, each]) => each)].flatMap((each) => collectEnumValues(each, name)),
  ];
}

function listEnumValues({ enum: values = [], allOf = [] }: DescribedSchema): string[] {
  return [...(values as string[]), ...allOf.flatMap(listEnumValues)];
}
