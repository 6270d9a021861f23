const HIDDEN = '***';
/** Secrets shorter than this are not removed, because the same characters may occur anywhere by chance. */
const SHORTEST_SECRET = 4;

/** The lookahead avoids backtracking. */
const SECRET_NAME = String.raw`(?=[\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|signature|credential))[\w.-]+|pwd|pass|auth|sig|hmac`;
/** `key` counts as a secret only in URLs and forms, where it is usually an API key. */
const IN_FORM = new RegExp(String.raw`((?:^|[?&;])(?:${SECRET_NAME}|key)=)[^&;#\s]*`, 'gi');
const IN_JSON = new RegExp(String.raw`("(?:${SECRET_NAME})"\s*:\s*")(?:[^"\\]|\\.)*`, 'gi');
/** `https://user:password@host`. */
const IN_ADDRESS = /(:\/\/)[^/?#@\s]*@/g;

/** Finds secrets in all encodings used in URLs, forms and JSON, and the values of fields with a secret's name. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const encodedSecrets = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(encodeSecret));
  // Longer secrets are replaced first, because a secret may contain another secret.
  const searchTexts = [...encodedSecrets].sort((a, b) => b.length - a.length);
  return (text) =>
    searchTexts
      .reduce((redacted, secret) => redacted.replaceAll(secret, HIDDEN), text)
      .replace(IN_FORM, `$1${HIDDEN}`)
      .replace(IN_JSON, `$1${HIDDEN}`)
      .replace(IN_ADDRESS, `$1${HIDDEN}@`);
}

function encodeSecret(secret: string): string[] {
  const formEncoded = new URLSearchParams({ '': secret }).toString().slice(1);
  const basic = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret.toWellFormed()), formEncoded, JSON.stringify(secret).slice(1, -1), basic];
}

/**
 * Texts longer than this are hidden, because they might quote a message in an encoding that we do not search for, such as
 * base64.
 */
const MAX_SAFE_LENGTH = 60;

/**
 * Finds a numeric code even if it has separators (`123 456`) or is written in hex, as some carriers write texts. If the secret
 * is a whole message, any text that may quote it is hidden completely.
 */
export function maskSecret(text: string, secret: string): string {
  if (!/^\d+$/.test(secret)) return mayQuote(text, secret) ? HIDDEN : text;
  const mask = '*'.repeat(secret.length);
  return encodeHex(secret)
    .reduce((hidden, hex) => hidden.replaceAll(hex, mask), text)
    .replace(new RegExp([...secret].join(SEPARATOR), 'giu'), mask);
}

/** Matches up to three characters between digits, including their URL, HTML and JSON encodings. */
const SEPARATOR =
  '(?:[^\\p{L}\\p{N}]|%[0-9a-f]{2}|&(?:nbsp|#\\d{1,4}|#x[0-9a-f]{1,4});|\\\\(?:[nrt]|u[0-9a-f]{4})){0,3}';

function encodeHex(secret: string): string[] {
  return [Buffer.from(secret, 'utf16le').swap16().toString('hex'), Buffer.from(secret).toString('hex')];
}

function mayQuote(text: string, secret: string): boolean {
  if (text.length > MAX_SAFE_LENGTH) return true;
  const quotedForms = [secret.toLowerCase(), ...encodeHex(secret)];
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.some((word) => quotedForms.some((form) => form.includes(word)));
}
