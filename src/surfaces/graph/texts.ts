import { checkBody } from '../http/input/text-rules.js';

const NESTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: [],
  image: [],
  video: [],
  document: [],
  audio: [],
  sticker: [],
  interactive: ['header', 'body', 'footer', 'action'],
  reaction: [],
  location: [],
  contacts: [],
  context: [],
  template: ['language', 'components'],
  typing_indicator: [],
};

/** Fields for numbers and booleans that Meta's own examples send as strings. */
const SCALAR_READERS: readonly [object: string, field: string, read: (text: string) => unknown][] = [
  ['location', 'latitude', readNumber],
  ['location', 'longitude', readNumber],
  ['text', 'preview_url', readBoolean],
];

/**
 * Parses objects, lists, coordinates and `preview_url` that were sent as strings, as the Graph API does (Chatwoot relies on
 * it). A string that cannot be parsed stays unchanged and fails validation later.
 * @throws {AppError} INVALID_REQUEST for forbidden characters or too deep nesting
 */
export function readTexts(body: unknown): void {
  if (!isObject(body)) return;
  const problem = readObjects(body) ? checkBody(body, true) : null;
  if (problem) throw problem;
  for (const [name, field, read] of SCALAR_READERS) {
    const object = Object.hasOwn(body, name) ? body[name] : undefined;
    if (isObject(object) && typeof object[field] === 'string') object[field] = read(object[field]);
  }
}

function readObjects(body: Record<string, unknown>): boolean {
  let hasParsedText = false;
  const parseField = (object: Record<string, unknown>, name: string) => {
    const text = object[name];
    if (typeof text !== 'string' || !/^\s*[{[]/.test(text)) return;
    object[name] = readText(text);
    hasParsedText ||= object[name] !== text;
  };
  for (const [name, nestedFields] of Object.entries(NESTED_FIELDS)) {
    if (!Object.hasOwn(body, name)) continue;
    parseField(body, name);
    const object = body[name];
    if (isObject(object)) for (const field of nestedFields) if (Object.hasOwn(object, field)) parseField(object, field);
  }
  return hasParsedText;
}

function readNumber(text: string): unknown {
  return /^-?\d{1,3}(\.\d+)?$/.test(text) ? Number(text) : text;
}

function readBoolean(text: string): unknown {
  return text === 'true' || (text === 'false' ? false : text);
}

function readText(text: string): unknown {
  try {
    return JSON.parse(text, refusePrototypes);
  } catch {
    return text;
  }
}

/** Refuses keys that could change an object's prototype, like the parser of request bodies. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError(key);
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
