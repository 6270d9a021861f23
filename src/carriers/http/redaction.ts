/** What stands where a secret stood. */
const HIDDEN = '***';
/** A secret that is shorter might be part of anything. */
const SHORTEST_SECRET = 4;

/** Names of fields whose values are secret whatever they hold. It looks ahead for the word, so that it looks once. */
const SECRET_NAME = String.raw`(?=[\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|signature|credential))[\w.-]+|pwd|pass|auth|sig|hmac`;
/** `name=value` of a query or a form. A key alone says nothing in JSON, but in an address it is one to the API. */
const IN_FORM = new RegExp(String.raw`((?:^|[?&;])(?:${SECRET_NAME}|key)=)[^&;#\s]*`, 'gi');
/** `"name": "value"` of JSON, also where the text was cut within the value. */
const IN_JSON = new RegExp(String.raw`("(?:${SECRET_NAME})"\s*:\s*")(?:[^"\\]|\\.)*`, 'gi');
/** `https://user:password@host`. */
const IN_ADDRESS = /(:\/\/)[^/?#@\s]*@/g;

/**
 * Takes secrets out of texts: those that are known, however an address, a form or JSON writes them, and whatever stands under
 * the name of a secret.
 * @param secrets as they are used
 */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const written = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(writtenAs));
  // The longer first: one may be part of another.
  const known = [...written].sort((a, b) => b.length - a.length);
  return (text) =>
    known
      .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
      .replace(IN_FORM, `$1${HIDDEN}`)
      .replace(IN_JSON, `$1${HIDDEN}`)
      .replace(IN_ADDRESS, `$1${HIDDEN}@`);
}

function writtenAs(secret: string): string[] {
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  const basic = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret.toWellFormed()), inForm, JSON.stringify(secret).slice(1, -1), basic];
}

/** A text that is longer might quote a message in a way that is not looked for, such as base64. */
const LONGEST_QUOTING_NONE = 60;

/**
 * A text without the secret of a sign-in message. A code is hidden as it is, with separators between its digits (`123 456`), and in
 * hexadecimal, as some carriers want texts. If the secret is a whole message, a text that may quote it is hidden whole.
 */
export function withoutSecret(text: string, secret: string): string {
  if (!/^\d+$/.test(secret)) return mayQuote(text, secret) ? HIDDEN : text;
  const mask = '*'.repeat(secret.length);
  return hexOf(secret)
    .reduce((rest, each) => rest.replaceAll(each, mask), text)
    .replace(new RegExp([...secret].join(SEPARATOR), 'giu'), mask);
}

/** Up to three characters between two digits of a code, also as an address, HTML or JSON writes them. */
const SEPARATOR =
  '(?:[^\\p{L}\\p{N}]|%[0-9a-f]{2}|&(?:nbsp|#\\d{1,4}|#x[0-9a-f]{1,4});|\\\\(?:[nrt]|u[0-9a-f]{4})){0,3}';

function hexOf(secret: string): string[] {
  return [Buffer.from(secret, 'utf16le').swap16().toString('hex'), Buffer.from(secret).toString('hex')];
}

function mayQuote(text: string, secret: string): boolean {
  if (text.length > LONGEST_QUOTING_NONE) return true;
  const written = [secret.toLowerCase(), ...hexOf(secret)];
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.some((word) => written.some((each) => each.includes(word)));
}
