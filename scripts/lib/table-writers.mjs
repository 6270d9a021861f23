// Finds the tables that a source file writes with calls of Prisma's client, or with SQL in strings and templates. PostgreSQL's
// own scanner (libpg-query) splits the SQL into tokens.
import { readFile } from 'node:fs/promises';
import { parse as parseSource } from '@swc/core';
import { scan } from 'libpg-query';

/** This word replaces each placeholder of a template. */
const PLACEHOLDER = 'put_in_here';
const WRITING_CALLS = new Set(
  ['create', 'update', 'delete', 'upsert'].flatMap((verb) => [verb, `${verb}Many`, `${verb}ManyAndReturn`]),
);
const NESTED_WRITES = new Set([...WRITING_CALLS, 'connect', 'connectOrCreate', 'disconnect', 'set']);
/** After these words, UPDATE does not start a statement but belongs to a lock, an INSERT or a foreign key. */
const NO_UPDATE_AFTER = new Set(['FOR', 'KEY', 'DO', 'ON']);

/** @typedef {{ tables: ReadonlySet<string>, models: ReadonlyMap<string, Model> }} Schema */
/**
 * A Prisma model. `relations` contains tables by field.
 * @typedef {{ table: string, relations: ReadonlyMap<string, string> }} Model
 */

/**
 * Reads the tables of schema.prisma, and the models by their names in Prisma's client.
 * @param {string} path
 * @returns {Promise<Schema>}
 */
export async function readSchema(path) {
  const text = await readFile(path, 'utf8');
  const bodies = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const tableByModel = new Map(bodies.map(([, name, body]) => [name, /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name]));
  const models = bodies.map(([, name, body]) => {
    const fields = [...body.matchAll(/^ {2}(\w+)\s+(\w+)/gm)].filter(([, , type]) => tableByModel.has(type));
    const relations = new Map(fields.map(([, field, type]) => [field, tableByModel.get(type)]));
    return [name[0].toLowerCase() + name.slice(1), { table: tableByModel.get(name), relations }];
  });
  return { tables: new Set(tableByModel.values()), models: new Map(models) };
}

/**
 * Finds the tables in which a source creates rows, and the tables in which it changes or deletes rows. Statements with a
 * placeholder for the table are `unresolved`.
 * @param {string} source TypeScript
 * @param {Schema} schema
 * @returns {Promise<{ created: Set<string>, changed: Set<string>, unresolved: string[] }>}
 */
export async function findWrites(source, schema) {
  const result = { created: new Set(), changed: new Set(), unresolved: [] };
  const texts = [];
  const nestedFields = new Set();
  const models = [];
  visit(await parseSource(source, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const text = readText(node);
    if (text !== null) texts.push(text);
    const name = findNestedWrite(node);
    if (name) nestedFields.add(name);
    const call = parseCall(node);
    const model = call && schema.models.get(call.model);
    if (!model) return;
    models.push(model);
    if (/^(create|upsert)/.test(call.verb)) result.created.add(model.table);
    if (!call.verb.startsWith('create')) result.changed.add(model.table);
  });
  for (const { relations } of models) {
    for (const [field, table] of relations) if (nestedFields.has(field)) result.created.add(table);
  }
  for (const text of texts) {
    for (const { table, creates } of await findSqlWrites(text)) {
      if (schema.tables.has(table)) result[creates ? 'created' : 'changed'].add(table);
      else if (table === PLACEHOLDER || table === '')
        result.unresolved.push(text.trim().split('\n')[0].replaceAll(PLACEHOLDER, '…'));
    }
  }
  return result;
}

export function visit(node, onNode) {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, onNode);
  } else if (node && typeof node === 'object') {
    onNode(node);
    for (const value of Object.values(node)) visit(value, onNode);
  }
}

/** Returns the text of a string, or of a template with PLACEHOLDER as its placeholders, and null for other nodes. */
export function readText({ type, value, quasis }) {
  if (type === 'StringLiteral') return value;
  return type === 'TemplateLiteral' ? quasis.map(({ cooked, raw }) => cooked ?? raw).join(` ${PLACEHOLDER} `) : null;
}

/**
 * Finds the tables that SQL writes, with an empty name if the text ends before the name.
 * @returns {Promise<{ table: string, creates: boolean }[]>}
 */
async function findSqlWrites(text) {
  if (!/\b(insert|update|delete|merge|truncate|copy)\b/i.test(text)) return [];
  const tokens = await tokenize(text);
  const words = tokens.map((token) => token.toUpperCase());
  const writes = [];
  const addWrite = (index, creates = false) => {
    const first = words[index] === 'ONLY' ? index + 1 : index;
    const name = tokens[tokens[first + 1] === '.' ? first + 2 : first];
    // A text that ends with a space continues in another string, but a single word such as `update` is not SQL.
    if (name !== undefined || /\s$/.test(text)) writes.push({ table: (name ?? '').replaceAll('"', ''), creates });
  };
  words.forEach((word, index) => {
    const next = words[index + 1];
    if ((word === 'INSERT' || word === 'MERGE') && next === 'INTO') addWrite(index + 2, true);
    if (word === 'DELETE' && next === 'FROM') addWrite(index + 2);
    if (word === 'UPDATE' && !NO_UPDATE_AFTER.has(words[index - 1]) && next !== 'SET') addWrite(index + 1);
    if (word === 'TRUNCATE') addWrite(next === 'TABLE' ? index + 2 : index + 1);
    // COPY … FROM writes a table, but COPY … TO only reads.
    if (word === 'COPY' && words.includes('FROM', index) && next !== '(') addWrite(index + 1, true);
  });
  return writes;
}

export async function tokenize(text) {
  try {
    return (await scan(text)).tokens.filter(({ tokenName }) => !tokenName.endsWith('COMMENT')).map(({ text }) => text);
  } catch {
    // The scanner rejects incomplete SQL, and sentences with an apostrophe.
    return text.match(/\w+|[^\s\w]/g) ?? [];
  }
}

/** Parses a call of Prisma's client, such as `prisma.account.update(…)` or `account.update(…)`. */
function parseCall({ type, callee }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return null;
  const { object, property } = callee;
  if (!WRITING_CALLS.has(property.value)) return null;
  if (object.type === 'Identifier') return { model: object.value, verb: property.value };
  return object.type === 'MemberExpression' ? { model: object.property.value, verb: property.value } : null;
}

/** Returns the relation of a nested write, such as `rates` in `{ rates: { create: … } }`. */
function findNestedWrite({ type, key, value, id, init }) {
  const property = type === 'KeyValueProperty' ? [key.value, value] : [];
  const [name, object] = type === 'VariableDeclarator' ? [id.value, init] : property;
  const verbs = object?.type === 'ObjectExpression' ? object.properties.map((member) => member.key?.value) : [];
  return verbs.some((verb) => NESTED_WRITES.has(verb)) ? name : null;
}
