/** Maximum messages per response. */
export const MAX_REPLIES = 10;

export interface TwimlMessage {
  body: string;
  /** Recipient as written in the response; null for the sender of the inbound message. */
  to: string | null;
  /** Whether the message has a file, in which case it is not sent. */
  hasMedia: boolean;
}

export type Twiml = { messages: readonly TwimlMessage[] } | { problem: string };

/** Only XML's predefined entities (XML 1.0 §4.6) are supported, because others need a DTD, which is refused. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Tag {
  kind: 'open' | 'close' | 'empty';
  name: string;
  attributes: Readonly<Record<string, string>>;
}
type Token = Tag | { kind: 'text'; text: string };

/** The parts of the expression cannot overlap, so matching takes linear time. */
const TAG = /^<(\/?)([A-Za-z][\w.:-]{0,63})((?:\s+[A-Za-z_][\w.:-]{0,63}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;
const ATTRIBUTE = /([A-Za-z_][\w.:-]{0,63})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

class TwimlError extends Error {}

/**
 * Reads the messages of a TwiML response (Twilio, "TwiML for Programmable Messaging"). Document types, and entities
 * other than XML's own five, are refused. A response that is empty or not XML contains no messages.
 */
export function readTwiml(response: string): Twiml {
  const text = response.replace(/^\uFEFF/, '').trim();
  if (!text.startsWith('<')) return { messages: [] };
  // A NUL character is not allowed in XML (XML 1.0 §2.2), and PostgreSQL cannot store it.
  if (text.includes('\0')) return { problem: 'it contains a NUL character' };
  try {
    const messages = readResponse(tokenize(text));
    return messages.length > MAX_REPLIES
      ? { problem: `it has more than ${MAX_REPLIES} messages` }
      : { messages: messages.filter(({ body, hasMedia }) => body !== '' || hasMedia) };
  } catch (error) {
    if (error instanceof TwimlError) return { problem: error.message };
    throw error;
  }
}

function readResponse(tokens: readonly Token[]): TwimlMessage[] {
  const [root, ...rest] = tokens.filter((token) => token.kind !== 'text' || token.text.trim() !== '');
  if (root?.kind === 'text' || root?.name !== 'Response') throw new TwimlError('its root is not <Response>');
  if (root.kind === 'empty' && rest.length === 0) return [];
  const messages: TwimlMessage[] = [];
  const openElements: string[] = ['Response'];
  let message: TwimlMessage | null = null;
  for (const token of tokens.slice(tokens.indexOf(root) + 1)) {
    if (openElements.length === 0) {
      if (token.kind === 'text' && token.text.trim() === '') continue;
      throw new TwimlError('something follows </Response>');
    }
    const path = openElements.join('/');
    if (token.kind === 'text') {
      if (message && (path === 'Response/Message' || path === 'Response/Message/Body')) message.body += token.text;
      else if (token.text.trim() !== '' && path !== 'Response/Message/Media') {
        throw new TwimlError(`there is text in <${openElements.at(-1)}>`);
      }
      continue;
    }
    if (token.kind === 'close') {
      if (openElements.pop() !== token.name) throw new TwimlError(`</${token.name}> closes nothing`);
      if (path === 'Response/Message' && message) {
        messages.push({ ...message, body: message.body.trim() });
        message = null;
      }
      continue;
    }
    const childPath = `${path}/${token.name}`;
    if (!KNOWN_PATHS.has(childPath))
      throw new TwimlError(`<${token.name}> is not supported in <${openElements.at(-1)}>`);
    if (childPath === 'Response/Message') message = { body: '', to: token.attributes.to ?? null, hasMedia: false };
    if (childPath === 'Response/Message/Media' && message) message.hasMedia = true;
    if (token.kind === 'open') openElements.push(token.name);
    else if (childPath === 'Response/Message') message = null;
  }
  if (openElements.length > 0) throw new TwimlError(`<${openElements.at(-1)}> is not closed`);
  return messages;
}

const KNOWN_PATHS: ReadonlySet<string> = new Set([
  'Response/Message',
  'Response/Message/Body',
  'Response/Message/Media',
]);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const skippedTo = skipComment(text, position);
    if (skippedTo !== null) {
      position = skippedTo;
    } else if (text.startsWith('<![CDATA[', position)) {
      const end = findEnd(text, ']]>', position + 9);
      tokens.push({ kind: 'text', text: text.slice(position + 9, end) });
      position = end + 3;
    } else if (text[position] === '<') {
      if (text[position + 1] === '!') throw new TwimlError('it has a document type, which is not supported');
      // The searched text is limited to 4,096 characters, because real tags are far shorter.
      const match = TAG.exec(text.slice(position, position + 4096));
      if (!match) throw new TwimlError('a tag is malformed');
      const [whole, slash, name = '', attributes = '', empty] = match;
      tokens.push({ kind: slash ? 'close' : empty ? 'empty' : 'open', name, attributes: parseAttributes(attributes) });
      position += whole.length;
    } else {
      const next = text.indexOf('<', position);
      const end = next === -1 ? text.length : next;
      tokens.push({ kind: 'text', text: decodeEntities(text.slice(position, end)) });
      position = end;
    }
  }
  return tokens;
}

function skipComment(text: string, start: number): number | null {
  if (text.startsWith('<!--', start)) return findEnd(text, '-->', start + 4) + 3;
  return text.startsWith('<?', start) ? findEnd(text, '?>', start + 2) + 2 : null;
}

function findEnd(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  if (end === -1) throw new TwimlError(`${mark} is missing`);
  return end;
}

function parseAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE))
    attributes[name] = decodeEntities(double ?? single ?? '');
  return attributes;
}

function decodeEntities(text: string): string {
  return text.replace(/&([^;&<]{0,16});?/g, (whole, name: string) => {
    const character = whole.endsWith(';') ? toCharacter(name) : null;
    if (character === null) throw new TwimlError('it has an unknown entity');
    return character;
  });
}

function toCharacter(name: string): string | null {
  if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name] as string;
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : 0;
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : null;
}
