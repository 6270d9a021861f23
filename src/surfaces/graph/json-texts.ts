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

/**
 * Reads objects and lists of a message that are written as JSON in a text, as the Graph API takes parameters. Chatwoot sends
 * the action of interactive messages so. A text that is no JSON stays, and is refused as any text in its place.
 */
export function readJsonTexts(body: unknown): void {
  if (!isObject(body)) return;
  for (const [name, within] of Object.entries(NESTED)) {
    if (!Object.hasOwn(body, name)) continue;
    const read = readText(body[name]);
    body[name] = read;
    if (!isObject(read)) continue;
    for (const each of within) if (Object.hasOwn(read, each)) read[each] = readText(read[each]);
  }
}

function readText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
