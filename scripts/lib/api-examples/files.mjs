import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../dist.mjs';
import { formatJson } from './format-json.mjs';
import { listOperations } from './player.mjs';

/**
 * @typedef {object} RecordedExample
 * @property {string} title
 * @property {{path?: object, query?: object, headers?: object, body?: unknown, file?: object}} [request]
 * @property {{status: number, body?: unknown, file?: object}} response
 */

/** One file for each tag of the OpenAPI document. */
export const EXAMPLES_FOLDER = join(ROOT, 'docs', 'examples');

export const toFileName = (tag) => `${tag.toLowerCase().replaceAll("'", '').replaceAll(' ', '-')}.json`;

/** @returns {Record<string, RecordedExample[]>} the committed examples by operation */
export function readExamples(folder = EXAMPLES_FOLDER) {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.assign({}, ...files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/**
 * @param {object} document the OpenAPI document
 * @param {Map<string, RecordedExample[]>} examples
 * @returns {Map<string, string>} the text of each file by its name
 */
export function toFiles(document, examples) {
  const files = new Map();
  for (const [id, { tags }] of listOperations(document)) {
    const name = toFileName(tags[0]);
    files.set(name, { ...files.get(name), [id]: examples.get(id) ?? [] });
  }
  return new Map([...files].map(([name, content]) => [name, `${formatJson(content)}\n`]));
}

/** @returns {string[]} the names of files that differ from the committed ones */
export function listStaleFiles(files) {
  const committed = existsSync(EXAMPLES_FOLDER) ? readdirSync(EXAMPLES_FOLDER) : [];
  const read = (name) => (committed.includes(name) ? readFileSync(join(EXAMPLES_FOLDER, name), 'utf8') : null);
  return [
    ...[...files].filter(([name, text]) => read(name) !== text).map(([name]) => name),
    ...committed.filter((name) => !files.has(name)),
  ];
}

export function writeFiles(files) {
  mkdirSync(EXAMPLES_FOLDER, { recursive: true });
  for (const name of listStaleFiles(files)) {
    if (files.has(name)) writeFileSync(join(EXAMPLES_FOLDER, name), files.get(name));
    else rmSync(join(EXAMPLES_FOLDER, name));
  }
}

/**
 * @param {object} document the OpenAPI document
 * @param {Record<string, RecordedExample[]>} examples
 * @returns {string[]} IDs of operations without a successful example
 */
export function listMissing(document, examples) {
  return [...listOperations(document).keys()].filter(
    (id) => !examples[id]?.some(({ response }) => response.status < 400),
  );
}
