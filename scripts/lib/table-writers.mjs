// Finds the tables that a source file writes. SQL in its strings and templates is read by PostgreSQL's own scanner (libpg-query),
// calls of Prisma's client by their names.
import { readFile } from 'node:fs/promises';
import { parse as parseSource } from '@swc/core';
import { scan } from 'libpg-query';

/** Replaces a template's placeholders. */
const HOLE = 'put_in_here';
const WRITING_CALLS = new Set(
  ['create', 'update', 'delete', 'upsert'].flatMap((verb) => [verb, `${verb}Many`, `${verb}ManyAndReturn`]),
);
const WRITES_BESIDE = new Set([...WRITING_CALLS, 'connect', 'connectOrCreate', 'disconnect', 'set']);
/** An UPDATE after these words belongs to a lock, an INSERT or a foreign key. */
const NO_UPDATE_AFTER = new Set(['FOR', 'KEY', 'DO', 'ON']);

/** @typedef {{ tables: ReadonlySet<string>, models: ReadonlyMap<string, Model> }} Schema */
/** @typedef {{ table: string, relations: ReadonlyMap<string, string> }} Model relations: tables by field */

/**
 * The tables of schema.prisma, and the models by what Prisma's client calls them.
 * @param {string} path
 * @returns {Promise<Schema>}
 */
export async function readSchema(path) {
  const text = await readFile(path, 'utf8');
  const bodies = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const tableOf = new Map(bodies.map(([, name, body]) => [name, /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name]));
  const models = bodies.map(([, name, body]) => {
    const fields = [...body.matchAll(/^ {2}(\w+)\s+(\w+)/gm)].filter(([, , type]) => tableOf.has(type));
    const relations = new Map(fields.map(([, field, type]) => [field, tableOf.get(type)]));
    return [name[0].toLowerCase() + name.slice(1), { table: tableOf.get(name), relations }];
  });
  return { tables: new Set(tableOf.values()), models: new Map(models) };
}

/**
 * @param {string} source TypeScript
 * @param {Schema} schema
 * @returns {Promise<{ made: Set<string>, changed: Set<string>, unread: string[] }>} tables whose rows it inserts, tables whose
 * rows it changes or deletes, and texts in which a placeholder is the table
 */
export async function findWrites(source, schema) {
  const found = { made: new Set(), changed: new Set(), unread: [] };
  const texts = [];
  const beside = new Set();
  const models = [];
  visit(await parseSource(source, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const text = textOf(node);
    if (text !== null) texts.push(text);
    const name = nameOfNestedWrite(node);
    if (name) beside.add(name);
    const call = callOf(node);
    const model = call && schema.models.get(call.model);
    if (!model) return;
    models.push(model);
    if (/^(create|upsert)/.test(call.verb)) found.made.add(model.table);
    if (!call.verb.startsWith('create')) found.changed.add(model.table);
  });
  for (const { relations } of models) {
    for (const [field, table] of relations) if (beside.has(field)) found.made.add(table);
  }
  for (const text of texts) {
    for (const { table, makes } of await writtenBySql(text)) {
      if (schema.tables.has(table)) found[makes ? 'made' : 'changed'].add(table);
      else if (table === HOLE || table === '') found.unread.push(text.trim().split('\n')[0].replaceAll(HOLE, '…'));
    }
  }
  return found;
}

export function visit(node, see) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see);
  } else if (node && typeof node === 'object') {
    see(node);
    for (const value of Object.values(node)) visit(value, see);
  }
}

/** The text of a string or a template, with a word in place of each placeholder; null for other nodes. */
export function textOf({ type, value, quasis }) {
  if (type === 'StringLiteral') return value;
  return type === 'TemplateLiteral' ? quasis.map(({ cooked, raw }) => cooked ?? raw).join(` ${HOLE} `) : null;
}

/** @returns {Promise<{ table: string, makes: boolean }[]>} the table is "" where the text ends before it */
async function writtenBySql(text) {
  if (!/\b(insert|update|delete|merge|truncate|copy)\b/i.test(text)) return [];
  const tokens = await tokensOf(text);
  const words = tokens.map((token) => token.toUpperCase());
  const written = [];
  const writes = (place, makes = false) => {
    const first = words[place] === 'ONLY' ? place + 1 : place;
    const name = tokens[tokens[first + 1] === '.' ? first + 2 : first];
    // A text that ends here continues elsewhere; a single word is not SQL.
    if (name !== undefined || /\s$/.test(text)) written.push({ table: (name ?? '').replaceAll('"', ''), makes });
  };
  words.forEach((word, at) => {
    const next = words[at + 1];
    if ((word === 'INSERT' || word === 'MERGE') && next === 'INTO') writes(at + 2, true);
    if (word === 'DELETE' && next === 'FROM') writes(at + 2);
    if (word === 'UPDATE' && !NO_UPDATE_AFTER.has(words[at - 1]) && next !== 'SET') writes(at + 1);
    if (word === 'TRUNCATE') writes(next === 'TABLE' ? at + 2 : at + 1);
    // COPY … TO only reads.
    if (word === 'COPY' && words.includes('FROM', at) && next !== '(') writes(at + 1, true);
  });
  return written;
}

export async function tokensOf(text) {
  try {
    return (await scan(text)).tokens.filter(({ tokenName }) => !tokenName.endsWith('COMMENT')).map(({ text }) => text);
  } catch {
    // Part of a SQL string, or a sentence with an apostrophe.
    return text.match(/\w+|[^\s\w]/g) ?? [];
  }
}

/** A call of Prisma's client, such as `prisma.account.update(…)`, or `account.update(…)` with a variable for the model. */
function callOf({ type, callee }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return null;
  const { object, property } = callee;
  if (!WRITING_CALLS.has(property.value)) return null;
  if (object.type === 'Identifier') return { model: object.value, verb: property.value };
  return object.type === 'MemberExpression' ? { model: object.property.value, verb: property.value } : null;
}

/** The relation in a nested write: `{ rates: { create: … } }`. */
function nameOfNestedWrite({ type, key, value, id, init }) {
  const named = type === 'KeyValueProperty' ? [key.value, value] : [];
  const [name, object] = type === 'VariableDeclarator' ? [id.value, init] : named;
  const verbs = object?.type === 'ObjectExpression' ? object.properties.map((property) => property.key?.value) : [];
  return verbs.some((verb) => WRITES_BESIDE.has(verb)) ? name : null;
}
