import { type JsonPath, parsePath, textOf, valueAt } from './json-path.js';
import { compilePattern, type Pattern } from './pattern.js';

/** What an expression is about: an answer, or a report. */
export interface Subject {
  /** HTTP status of an answer; null of a report. */
  status: number | null;
  /** As it came; "" of a report. */
  text: string;
  /** What it holds, parsed; undefined where it is no JSON and no form. */
  value: unknown;
}

export type Expression = (subject: Subject) => boolean;

const TOKEN = /\s*(?:(\(|\)|,|!=|=|~)|"((?:[^"\\]|\\.)*)"|\/((?:[^/\\]|\\.)+)\/(i?)|([^\s(),=!~"]+))/y;

type Token = { kind: 'mark' | 'word' | 'text'; text: string } | { kind: 'pattern'; text: string; pattern: Pattern };

/**
 * Reads a condition: `status = 200 and messages[0].status = "0"`. What is compared is `status` (of HTTP), `text` (the whole
 * answer) or a path into its JSON (`$.status` for a field of that name); with `=`, `!=`, `in (a, b)`, `~ /pattern/` or `exists`. `and` binds before `or`; parentheses
 * and `not` as usual. A status may be a class: `status = 2xx`.
 * @throws {UnsupportedPattern} for a pattern that cannot run
 * @throws {Error} that says what else is wrong
 */
export function parseExpression(text: string): Expression {
  const reader = new Reader(tokensOf(text));
  const expression = reader.either();
  if (!reader.isAtEnd) throw new Error(`has "${reader.next()}" where it should end`);
  return expression;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const token = new RegExp(TOKEN);
  while (token.lastIndex < text.trimEnd().length) {
    const from = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`cannot be read at "${text.slice(from).trim()}"`);
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
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** The text of the token that follows, for errors. */
  next(): string {
    return this.#tokens[this.#at]?.text ?? 'nothing';
  }

  either(): Expression {
    const parts = [this.#both()];
    while (this.#take('word', 'or')) parts.push(this.#both());
    return (subject) => parts.some((part) => part(subject));
  }

  #both(): Expression {
    const parts = [this.#one()];
    while (this.#take('word', 'and')) parts.push(this.#one());
    return (subject) => parts.every((part) => part(subject));
  }

  #one(): Expression {
    if (this.#take('word', 'not')) {
      const inner = this.#one();
      return (subject) => !inner(subject);
    }
    if (this.#take('mark', '(')) {
      const inner = this.either();
      if (!this.#take('mark', ')')) throw new Error(`lacks a ")" before "${this.next()}"`);
      return inner;
    }
    return this.#comparison();
  }

  #comparison(): Expression {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word') throw new Error(`needs status, text or a path before "${this.next()}"`);
    this.#at += 1;
    const read = reading(token.text);
    if (this.#take('word', 'exists')) return (subject) => read(subject) !== undefined && read(subject) !== null;
    if (this.#take('word', 'in')) {
      if (!this.#take('mark', '(')) throw new Error('needs a list in parentheses after "in"');
      const values = [this.#value()];
      while (this.#take('mark', ',')) values.push(this.#value());
      if (!this.#take('mark', ')')) throw new Error(`lacks a ")" before "${this.next()}"`);
      return (subject) => values.some((value) => isSame(read(subject), value));
    }
    if (this.#take('mark', '~')) {
      const pattern = this.#tokens[this.#at];
      if (pattern?.kind !== 'pattern') throw new Error('needs a /pattern/ after "~"');
      this.#at += 1;
      return (subject) => pattern.pattern.exec(asText(read(subject))) !== null;
    }
    const isEqual = this.#take('mark', '=');
    if (!isEqual && !this.#take('mark', '!=')) {
      throw new Error(`needs =, !=, in, ~ or exists after "${token.text}"`);
    }
    const value = this.#value();
    return (subject) => isSame(read(subject), value) === isEqual;
  }

  #value(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' && token?.kind !== 'text') throw new Error(`needs a value before "${this.next()}"`);
    this.#at += 1;
    return token.text;
  }

  #take(kind: 'mark' | 'word', text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind || token.text !== text) return false;
    this.#at += 1;
    return true;
  }
}

function reading(word: string): (subject: Subject) => unknown {
  if (word === 'status') return ({ status }) => status;
  if (word === 'text') return ({ text }) => text;
  const path: JsonPath = parsePath(word);
  return ({ value }) => valueAt(value, path);
}

function isSame(value: unknown, wanted: string): boolean {
  if (/^[1-5]xx$/.test(wanted) && typeof value === 'number') return Math.floor(value / 100) === Number(wanted[0]);
  if (wanted === 'null') return value === null || value === undefined;
  return value !== null && value !== undefined && asText(value) === wanted;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (textOf(value) ?? '');
}
