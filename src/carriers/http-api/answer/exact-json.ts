/** Texts are passed over, so that what looks like a number in one stays as it is. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

/**
 * Reads JSON of a vendor. A whole number that JavaScript would round, as the id of a message may be, becomes a text of its
 * digits.
 * @throws {SyntaxError} where it is no JSON
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG.test(text)) return value;
  return JSON.parse(
    text.replace(TEXT_OR_NUMBER, (token) =>
      WHOLE.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}
