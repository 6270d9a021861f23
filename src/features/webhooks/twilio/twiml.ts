/** Messages that one answer may send. */
export const MOST_REPLIES = 10;

/** One that an answer in TwiML asks for. */
export interface TwimlMessage {
  body: string;
  /** As it is written; null: to whom the message came from. */
  to: string | null;
  /** A file that it is to show is not sent. */
  hasMedia: boolean;
}

/** What an answer asks for, or why it cannot be read. */
export type Twiml = { messages: readonly TwimlMessage[] } | { problem: string };

/** The five entities that XML has by itself (XML 1.0 §4.6); there is no other without a DTD, which is refused. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Tag {
  kind: 'open' | 'close' | 'empty';
  name: string;
  attributes: Readonly<Record<string, string>>;
}
type Token = Tag | { kind: 'text'; text: string };

/** A tag: its name, attributes in quotes, and whether it is empty. Each part of it ends where the next begins, so no text takes long. */
const TAG = /^<(\/?)([A-Za-z][\w.:-]{0,63})((?:\s+[A-Za-z_][\w.:-]{0,63}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;
const ATTRIBUTE = /([A-Za-z_][\w.:-]{0,63})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

class Unreadable extends Error {}

/**
 * Reads the part of TwiML that answers a message: `<Response>` with any number of `<Message>`, each with text or with `<Body>`
 * and `<Media>` (Twilio, "TwiML for Programmable Messaging"). It knows no document type and no entity but XML's own five, and
 * resolves nothing. An answer that is no XML, or empty, asks for nothing.
 */
export function readTwiml(answer: string): Twiml {
  const text = answer.replace(/^\uFEFF/, '').trim();
  if (!text.startsWith('<')) return { messages: [] };
  // XML has no such character (XML 1.0 §2.2), and PostgreSQL stores none.
  if (text.includes('\0')) return { problem: 'it has a NUL character' };
  try {
    const messages = readResponse(tokensOf(text));
    return messages.length > MOST_REPLIES
      ? { problem: `it has more than ${MOST_REPLIES} messages` }
      : { messages: messages.filter(({ body, hasMedia }) => body !== '' || hasMedia) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}

function readResponse(tokens: readonly Token[]): TwimlMessage[] {
  const [root, ...rest] = tokens.filter((token) => token.kind !== 'text' || token.text.trim() !== '');
  if (root?.kind === 'text' || root?.name !== 'Response') throw new Unreadable('its root is not <Response>');
  if (root.kind === 'empty' && rest.length === 0) return [];
  const messages: TwimlMessage[] = [];
  /** Open elements within the root, and the message that is being read. */
  const open: string[] = ['Response'];
  let message: TwimlMessage | null = null;
  // White space between words of a text counts, so these are the tokens as they are.
  for (const token of tokens.slice(tokens.indexOf(root) + 1)) {
    if (open.length === 0) {
      if (token.kind === 'text' && token.text.trim() === '') continue;
      throw new Unreadable('something follows </Response>');
    }
    const place = open.join('/');
    if (token.kind === 'text') {
      if (message && (place === 'Response/Message' || place === 'Response/Message/Body')) message.body += token.text;
      else if (token.text.trim() !== '' && place !== 'Response/Message/Media') {
        throw new Unreadable(`there is text in <${open.at(-1)}>`);
      }
      continue;
    }
    if (token.kind === 'close') {
      if (open.pop() !== token.name) throw new Unreadable(`</${token.name}> closes nothing`);
      if (place === 'Response/Message' && message) {
        messages.push({ ...message, body: message.body.trim() });
        message = null;
      }
      continue;
    }
    const path = `${place}/${token.name}`;
    if (!KNOWN.has(path)) throw new Unreadable(`<${token.name}> is not understood in <${open.at(-1)}>`);
    if (path === 'Response/Message') message = { body: '', to: token.attributes.to ?? null, hasMedia: false };
    if (path === 'Response/Message/Media' && message) message.hasMedia = true;
    if (token.kind === 'open') open.push(token.name);
    else if (path === 'Response/Message') message = null;
  }
  if (open.length > 0) throw new Unreadable(`<${open.at(-1)}> is not closed`);
  return messages;
}

const KNOWN: ReadonlySet<string> = new Set(['Response/Message', 'Response/Message/Body', 'Response/Message/Media']);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const skipped = skippedAt(text, at);
    if (skipped !== null) {
      at = skipped;
    } else if (text.startsWith('<![CDATA[', at)) {
      const end = endOf(text, ']]>', at + 9);
      tokens.push({ kind: 'text', text: text.slice(at + 9, end) });
      at = end + 3;
    } else if (text[at] === '<') {
      if (text[at + 1] === '!') throw new Unreadable('it has a document type, which is not read');
      // A tag is far shorter; the expression looks no further.
      const match = TAG.exec(text.slice(at, at + 4096));
      if (!match) throw new Unreadable('a tag is malformed');
      const [whole, slash, name = '', attributes = '', empty] = match;
      tokens.push({ kind: slash ? 'close' : empty ? 'empty' : 'open', name, attributes: attributesOf(attributes) });
      at += whole.length;
    } else {
      const next = text.indexOf('<', at);
      const end = next === -1 ? text.length : next;
      tokens.push({ kind: 'text', text: decode(text.slice(at, end)) });
      at = end;
    }
  }
  return tokens;
}

/** Where a comment or a processing instruction, such as the XML declaration, ends that begins here; null where none does. */
function skippedAt(text: string, at: number): number | null {
  if (text.startsWith('<!--', at)) return endOf(text, '-->', at + 4) + 3;
  return text.startsWith('<?', at) ? endOf(text, '?>', at + 2) + 2 : null;
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  if (end === -1) throw new Unreadable(`${mark} is missing`);
  return end;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) found[name] = decode(double ?? single ?? '');
  return found;
}

function decode(text: string): string {
  return text.replace(/&([^;&<]{0,16});?/g, (whole, name: string) => {
    const character = whole.endsWith(';') ? characterOf(name) : null;
    if (character === null) throw new Unreadable('an entity is not known');
    return character;
  });
}

function characterOf(name: string): string | null {
  if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name] as string;
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : 0;
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : null;
}
