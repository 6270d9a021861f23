import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../dist.mjs';
import { formatJson } from '../json-text.mjs';
import { listOperations } from './player.mjs';

/**
 * @typedef {object} RecordedExample
 * @property {string} title
 * @property {{path?: object, query?: object, headers?: object, body?: unknown, file?: object}} [request]
 * @property {{status: number, body?: unknown, file?: object}} response
 */

/** One file for each tag of the OpenAPI document. */
export const EXAMPLES_FOLDER = 'docs/examples';

export const toFileName = (tag) => `${tag.toLowerCase().replaceAll("'", '').replaceAll(' ', '-')}.json`;

/** @returns {Record<string, RecordedExample[]>} the committed examples by operation */
export function readExamples() {
  const folder = join(ROOT, EXAMPLES_FOLDER);
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.assign({}, ...files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/**
 * @param {object} document the OpenAPI document
 * @param {Map<string, RecordedExample[]>} examples
 * @returns {Map<string, string>} the text of each file by its path
 */
export function toFiles(document, examples) {
  const files = new Map();
  for (const [id, { tags }] of listOperations(document)) {
    const name = toFileName(tags[0]);
    files.set(name, { ...files.get(name), [id]: examples.get(id) ?? [] });
  }
  return new Map(
    [...files].map(([name, content]) => [`${EXAMPLES_FOLDER}/${name}`, `${formatJson(JSON.stringify(content))}\n`]),
  );
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
