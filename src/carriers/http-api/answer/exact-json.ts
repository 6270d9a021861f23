/** The pattern also matches strings, so that digits inside strings are not mistaken for numbers. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

/**
 * Parses JSON. Integers that JavaScript would round, such as long message IDs, become strings.
 * @throws {SyntaxError}
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
