const WIDTH = 100;
const INDENT = '  ';

/** A value as it was written, or its parts. @typedef {string | {open: string, close: string, parts: [string | null, Json][]}} Json */

/**
 * Formats JSON values that follow each other, with each array and object on one line if it fits. Numbers and strings stay as they
 * were written.
 * @param {string} text
 * @returns {string} without a newline at the end
 * @throws {SyntaxError} if the text is not JSON
 */
export function formatJson(text) {
  return readValues(text)
    .map((value) => format(value, '', 0))
    .join('\n');
}

/** @param {string} text @returns {Json[]} */
function readValues(text) {
  const tokens = readTokens(text);
  let position = 0;
  const fail = () => {
    const following = tokens.slice(position, position + 3).join(' ');
    throw new SyntaxError(following ? `Not valid JSON before ${following}` : 'The JSON is incomplete');
  };
  const expect = (token) => {
    if (tokens[position] !== token) fail();
    position += 1;
  };
  const readValue = () => {
    const token = tokens[position];
    if (token === '{' || token === '[') return readParts(token, token === '{' ? '}' : ']');
    if (token === undefined || /^[\]}:,]$/.test(token)) fail();
    position += 1;
    return token;
  };
  const readParts = (open, close) => {
    expect(open);
    const parts = [];
    while (tokens[position] !== close) {
      if (parts.length > 0) expect(',');
      let name = null;
      if (open === '{') {
        name = tokens[position];
        if (!name?.startsWith('"')) fail();
        position += 1;
        expect(':');
      }
      parts.push([name, readValue()]);
    }
    expect(close);
    return { open, close, parts };
  };
  const values = [];
  while (position < tokens.length) values.push(readValue());
  return values;
}

/** @param {string} text @returns {string[]} strings with their quotes, numbers, words and single characters */
function readTokens(text) {
  const pattern = /\s*("(?:[^"\\\n]|\\.)*"|[{}[\]:,]|(?:true|false|null)\b|-?\d[\d.eE+-]*|‹[^›]*›)\s*/y;
  const tokens = [];
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new SyntaxError(`Not valid JSON: ${text.slice(start, start + 60).trim()}`);
    tokens.push(match[1]);
  }
  return tokens;
}

/** @param {number} column where the value starts, from 0 */
function format(value, indent, column) {
  const line = formatOnOneLine(value);
  if (typeof value === 'string' || value.parts.length === 0 || column + line.length <= WIDTH) return line;
  const inner = indent + INDENT;
  const lines = value.parts.map(([name, part]) => {
    const start = name === null ? inner : `${inner}${name}: `;
    // One column is for the comma.
    return start + format(part, inner, start.length + 1);
  });
  return `${value.open}\n${lines.join(',\n')}\n${indent}${value.close}`;
}

function formatOnOneLine(value) {
  if (typeof value === 'string') return value;
  const parts = value.parts.map(([name, part]) => (name === null ? '' : `${name}: `) + formatOnOneLine(part));
  return `${value.open}${parts.join(', ')}${value.close}`;
}
