/** The subset of OpenAPI 3.1 schemas that the server's document uses. */
export interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  'x-rule'?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface JsonContent {
  schema: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
}

interface DocumentOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json'?: JsonContent } };
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentOperation>>;
}

/** Kind of authentication: `a` uses an app's key, and `b` a key, a secret and a channel. */
export type Surface = 'a' | 'b';

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  surface: Surface;
  parameters: Parameter[];
  body: { schema: Schema; example: unknown } | null;
}

const SURFACES: readonly [prefix: RegExp, surface: Surface][] = [
  [/^\/v1\.0\//, 'a'],
  [/^\/v2\//, 'a'],
  [/^\/api\/v1\//, 'b'],
];

export function listOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    const surface = SURFACES.find(([prefix]) => prefix.test(path))?.[1];
    if (!surface) return [];
    return Object.entries(methods).map(([method, operation]) => {
      const json = operation.requestBody?.content['application/json'];
      return {
        id: operation.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? '',
        summary: operation.summary ?? path,
        description: operation.description ?? '',
        surface,
        parameters: operation.parameters ?? [],
        body: json ? { schema: withoutNulls(json.schema), example: findExample(json) } : null,
      };
    });
  });
}

/** Removes null from a schema, because the form omits a field instead of sending null. */
function withoutNulls(schema: Schema): Schema {
  const { type, properties, items } = schema;
  const types = Array.isArray(type) ? type.filter((name) => name !== 'null') : [];
  return {
    ...schema,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, withoutNulls(property)]),
      ),
    }),
    ...(items && { items: withoutNulls(items) }),
  };
}

function findExample({ schema, example, examples = {} }: JsonContent): unknown {
  return example ?? Object.values(examples)[0]?.value ?? buildExample(schema);
}

export function searchOperations(operations: readonly Operation[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ method, path, summary, tag, id }) => {
    const searchText = `${method} ${path} ${summary} ${tag} ${id}`.toLowerCase();
    return words.every((word) => searchText.includes(word));
  });
}

/** Optional fields that examples nevertheless include, because a message without text would be pointless. */
const MESSAGE_FIELDS = new Set(['message', 'text']);

/** Builds objects that contain only their required fields and MESSAGE_FIELDS. */
export function buildExample(schema: Schema): unknown {
  const [example] = schema.examples ?? [];
  if (example !== undefined) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return buildExample(schema.anyOf[0]);
  if (schema.properties) {
    const { required = [] } = schema;
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([name, property]) => required.includes(name) || (MESSAGE_FIELDS.has(name) && property.examples))
        .map(([name, property]) => [name, buildExample(property)]),
    );
  }
  if (schema.items) return [buildExample(schema.items)];
  return { integer: 1, number: 1, boolean: false, array: [], object: {} }[String(schema.type)] ?? '';
}
