import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../../platform/package-folder.js';
import type { Document, MediaType, Operation } from './openapi-errors.js';

/** Written by the build from docs/examples. */
const FILE = join(PACKAGE_FOLDER, 'dist', 'api-examples.json');

interface RecordedExample {
  title: string;
  request?: { body?: unknown; file?: object };
  response: { status: number; body?: unknown };
}

type Examples = Record<string, { summary: string; value: unknown }>;

/** Shows the requests and responses of docs/examples, which were recorded from a server. */
export function addRecordedExamples(document: Document): void {
  const recorded = readRecordedExamples();
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    const examples = recorded[operation.operationId ?? ''];
    if (examples) addExamples(operation, examples);
  }
}

function readRecordedExamples(): Record<string, RecordedExample[]> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

function addExamples({ requestBody, responses = {} }: Operation, examples: RecordedExample[]): void {
  // Examples of refused requests are left out, because they may contradict the schema.
  const accepted = examples.filter(({ response }) => response.status < 400);
  const bodies = accepted.filter(({ request }) => request?.body !== undefined && !request.file);
  setExamples(
    requestBody?.content,
    bodies.map(({ title, request }) => [title, request?.body]),
  );
  for (const [status, response] of Object.entries(responses)) {
    const shown = examples.filter(
      (example) => String(example.response.status) === status && example.response.body !== undefined,
    );
    setExamples(
      response.content,
      shown.map(({ title, response: { body } }) => [title, body]),
    );
  }
}

/** Replaces the examples of the first content type. */
function setExamples(content: Record<string, MediaType> | undefined, entries: [title: string, value: unknown][]): void {
  const [mediaType] = Object.values(content ?? {});
  if (!mediaType || entries.length === 0) return;
  delete mediaType.example;
  mediaType.examples = Object.fromEntries(
    entries.map(([title, value]) => [toName(title), { summary: title, value }]),
  ) satisfies Examples;
}

const toName = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
