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
 * A text without what a sign-in message must not tell. A code of digits is taken out, be it written as it is or, as some carriers
 * want texts, in hexadecimal. Where the secret is a whole message, a text that may quote it is hidden whole.
 */
export function withoutSecret(text: string, secret: string): string {
  if (!/^\d+$/.test(secret)) return mayQuote(text, secret) ? HIDDEN : text;
  return hexOf(secret)
    .concat(secret)
    .reduce((rest, each) => rest.replaceAll(each, '*'.repeat(secret.length)), text);
}

function hexOf(secret: string): string[] {
  return [Buffer.from(secret, 'utf16le').swap16().toString('hex'), Buffer.from(secret).toString('hex')];
}

function mayQuote(text: string, secret: string): boolean {
  if (text.length > LONGEST_QUOTING_NONE) return true;
  const written = [secret.toLowerCase(), ...hexOf(secret)];
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.some((word) => written.some((each) => each.includes(word)));
}
