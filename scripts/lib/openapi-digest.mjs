import { createHash } from 'node:crypto';

/** Members whose changes do not affect what a client sends or receives. */
const TEXT_KEYS = new Set(['description', 'summary', 'example', 'examples', 'title', 'x-rule']);

/** Members whose keys are names that the API defines, such as a field called `title`. */
const KEYED_BY_NAME = new Set([
  'properties',
  'patternProperties',
  'headers',
  'content',
  'responses',
  'schemas',
  '$defs',
]);

const HEADING = `# Written by: npm run openapi
# One line per operation: method, path, operation ID, and a digest of its parameters, bodies, answers and security without
# descriptions and examples. A changed line is a changed API: describe the change in the pull request.
`;

/**
 * Returns the text of docs/openapi-digest.txt, which shows a reviewer the operations that a change affects.
 * @param {{ paths?: Record<string, Record<string, object>>, components?: object }} document an OpenAPI document
 * @returns {string}
 */
export function digestOpenApi(document) {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const lines = operations.map(({ path, method, operation }) => {
    const { operationId, tags: _tags, ...shape } = operation;
    return `${method} ${path} ${operationId} ${hashShape(toShape(shape, document))}\n`;
  });
  return HEADING + lines.sort().join('');
}

const hashShape = (shape) => createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 12);

/** Removes texts from an OpenAPI document, sorts its keys, and resolves references. */
function toShape(value, document, keysAreNames = false) {
  if (Array.isArray(value)) return value.map((entry) => toShape(entry, document));
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.$ref === 'string') return toShape(resolve(value.$ref, document), document);
  const members = Object.entries(value).filter(([key]) => keysAreNames || !TEXT_KEYS.has(key));
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members.map(([key, member]) => [key, toShape(member, document, !keysAreNames && KEYED_BY_NAME.has(key))]),
  );
}

function resolve(reference, document) {
  return reference
    .slice(2)
    .split('/')
    .reduce((part, key) => part[key], document);
}
