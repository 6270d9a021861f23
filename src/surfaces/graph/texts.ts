import { checkBody } from '../http/input/text-rules.js';

/** Fields of a message that hold objects or lists, and of those again the ones that do. */
const NESTED: Readonly<Record<string, readonly string[]>> = {
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

/** Numbers and booleans, which Meta's own examples write as texts. */
const READ: readonly [object: string, field: string, read: (text: string) => unknown][] = [
  ['location', 'latitude', readNumber],
  ['location', 'longitude', readNumber],
  ['text', 'preview_url', readBoolean],
];

/**
 * Reads what of a message is written as a text and is meant otherwise, as the Graph API reads parameters: objects and lists
 * as JSON (Chatwoot sends the action of interactive messages so), coordinates and whether a link is previewed. What cannot be
 * read stays, and is refused as any text in its place.
 * @throws {AppError} INVALID_REQUEST for what no body may hold, as of any body
 */
export function readTexts(body: unknown): void {
  if (!isObject(body)) return;
  const problem = readObjects(body) ? checkBody(body, true) : null;
  if (problem) throw problem;
  for (const [name, field, read] of READ) {
    const object = Object.hasOwn(body, name) ? body[name] : undefined;
    if (isObject(object) && typeof object[field] === 'string') object[field] = read(object[field]);
  }
}

/** @returns whether any was a text */
function readObjects(body: Record<string, unknown>): boolean {
  let wasText = false;
  const readIn = (object: Record<string, unknown>, name: string) => {
    const text = object[name];
    if (typeof text !== 'string' || !/^\s*[{[]/.test(text)) return;
    object[name] = readText(text);
    wasText ||= object[name] !== text;
  };
  for (const [name, within] of Object.entries(NESTED)) {
    if (!Object.hasOwn(body, name)) continue;
    readIn(body, name);
    const object = body[name];
    if (isObject(object)) for (const each of within) if (Object.hasOwn(object, each)) readIn(object, each);
  }
  return wasText;
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

/** What would take the place of an object's own prototype is no field of anything, as of any body. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError(key);
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
