/** What stands where a secret stood. */
const HIDDEN = '***';
/** A secret that is shorter might be part of anything. */
const SHORTEST_SECRET = 4;

/** Names of fields whose values are secret whatever they hold. */
const SECRET_NAME = String.raw`[\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|signature|credential)[\w.-]*|pwd|pass|auth|sig|hmac`;
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

/** A text without a secret of digits, be it written as it is or, as some carriers want texts, in hexadecimal. */
export function withoutDigits(text: string, secret: string): string {
  const hex = Buffer.from(secret).toString('hex');
  const utf16 = Buffer.from(secret, 'utf16le').swap16().toString('hex');
  return [utf16, hex, secret].reduce((rest, each) => rest.replaceAll(each, '*'.repeat(secret.length)), text);
}
