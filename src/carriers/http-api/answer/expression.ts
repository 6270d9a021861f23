import { findValue, type JsonPath, parsePath, toText } from './json-path.js';
import { compilePattern, type Pattern } from './pattern.js';

export interface Subject {
  /** HTTP status of a response; null for a report. */
  status: number | null;
  text: string;
  /** The parsed body, or undefined if the body is neither JSON nor a form. */
  value: unknown;
}

export type Expression = (subject: Subject) => boolean;

const TOKEN = /\s*(?:(\(|\)|,|!=|=|~)|"((?:[^"\\]|\\.)*)"|\/((?:[^/\\]|\\.)+)\/(i?)|([^\s(),=!~"]+))/y;

type Token = { kind: 'mark' | 'word' | 'text'; text: string } | { kind: 'pattern'; text: string; pattern: Pattern };

/**
 * An operand is `status` (the HTTP status), `text` (the whole body) or a JSON path, such as `$.status` for a field named
 * `status`. Operators are `=`, `!=`, `in (a, b)`, `~ /pattern/` and `exists`, combined with `not`, `and`, `or` and parentheses.
 * @throws {UnsupportedPattern}
 * @throws {Error}
 */
export function parseExpression(text: string): Expression {
  const reader = new Reader(tokenize(text));
  const expression = reader.parseOr();
  if (!reader.isAtEnd) throw new Error(`has an unexpected "${reader.peekText()}"`);
  return expression;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < text.trimEnd().length) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`has a syntax error at "${text.slice(start).trim()}"`);
    const [, mark, quoted, pattern, flags, word] = match;
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replace(/\\(.)/g, '$1') });
    else if (pattern !== undefined) {
      const compiled = compilePattern(pattern, { ignoreCase: flags === 'i' });
      tokens.push({ kind: 'pattern', text: `/${pattern}/`, pattern: compiled });
    } else tokens.push({ kind: 'word', text: word as string });
  }
  return tokens;
}

class Reader {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#tokens.length;
  }

  peekText(): string {
    return this.#tokens[this.#index]?.text ?? 'nothing';
  }

  parseOr(): Expression {
    const parts = [this.#parseAnd()];
    while (this.#consume('word', 'or')) parts.push(this.#parseAnd());
    return (subject) => parts.some((part) => part(subject));
  }

  #parseAnd(): Expression {
    const parts = [this.#parseFactor()];
    while (this.#consume('word', 'and')) parts.push(this.#parseFactor());
    return (subject) => parts.every((part) => part(subject));
  }

  #parseFactor(): Expression {
    if (this.#consume('word', 'not')) {
      const inner = this.#parseFactor();
      return (subject) => !inner(subject);
    }
    if (this.#consume('mark', '(')) {
      const inner = this.parseOr();
      if (!this.#consume('mark', ')')) throw new Error(`needs a ")" before "${this.peekText()}"`);
      return inner;
    }
    return this.#parseComparison();
  }

  #parseComparison(): Expression {
    const token = this.#tokens[this.#index];
    if (token?.kind !== 'word') throw new Error(`needs status, text or a path before "${this.peekText()}"`);
    this.#index += 1;
    const readOperand = createOperandReader(token.text);
    if (this.#consume('word', 'exists'))
      return (subject) => readOperand(subject) !== undefined && readOperand(subject) !== null;
    if (this.#consume('word', 'in')) {
      if (!this.#consume('mark', '(')) throw new Error('needs a list in parentheses after "in"');
      const values = [this.#parseValue()];
      while (this.#consume('mark', ',')) values.push(this.#parseValue());
      if (!this.#consume('mark', ')')) throw new Error(`needs a ")" before "${this.peekText()}"`);
      return (subject) => values.some((value) => isSame(readOperand(subject), value));
    }
    if (this.#consume('mark', '~')) {
      const pattern = this.#tokens[this.#index];
      if (pattern?.kind !== 'pattern') throw new Error('needs a /pattern/ after "~"');
      this.#index += 1;
      return (subject) => pattern.pattern.exec(toOperandText(readOperand(subject))) !== null;
    }
    const isEqual = this.#consume('mark', '=');
    if (!isEqual && !this.#consume('mark', '!=')) {
      throw new Error(`needs =, !=, in, ~ or exists after "${token.text}"`);
    }
    const value = this.#parseValue();
    return (subject) => isSame(readOperand(subject), value) === isEqual;
  }

  #parseValue(): string {
    const token = this.#tokens[this.#index];
    if (token?.kind !== 'word' && token?.kind !== 'text') throw new Error(`needs a value before "${this.peekText()}"`);
    this.#index += 1;
    return token.text;
  }

  #consume(kind: 'mark' | 'word', text: string): boolean {
    const token = this.#tokens[this.#index];
    if (token?.kind !== kind || token.text !== text) return false;
    this.#index += 1;
    return true;
  }
}

function createOperandReader(word: string): (subject: Subject) => unknown {
  if (word === 'status') return ({ status }) => status;
  if (word === 'text') return ({ text }) => text;
  const path: JsonPath = parsePath(word);
  return ({ value }) => findValue(value, path);
}

function isSame(value: unknown, expected: string): boolean {
  if (/^[1-5]xx$/.test(expected) && typeof value === 'number') return Math.floor(value / 100) === Number(expected[0]);
  if (expected === 'null') return value === null || value === undefined;
  return value !== null && value !== undefined && toOperandText(value) === expected;
}

function toOperandText(value: unknown): string {
  return typeof value === 'string' ? value : (toText(value) ?? '');
}
