/** Matches strings too, so that digits inside them are not changed. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}/;
const WHOLE = /^-?\d+$/;

/**
 * Integers that JavaScript would round, such as long message IDs, become strings.
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
