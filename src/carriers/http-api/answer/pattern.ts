import { RE2JS } from 're2js';

export interface Pattern {
  exec(text: string): readonly (string | undefined)[] | null;
}

/**
 * Maximum product of characters and instructions. A step takes about half a microsecond, so a match blocks the process
 * for at most 250 ms.
 */
const MAX_STEPS = 500_000;
/** `a{100}` has about 100 instructions. */
const MAX_INSTRUCTIONS = 500;

export class UnsupportedPattern extends Error {
  constructor(source: string, rule: string) {
    super(`has /${source}/, ${rule}`);
    this.name = 'UnsupportedPattern';
  }
}

/**
 * Compiles patterns for RE2 (https://github.com/google/re2/wiki/Syntax). JavaScript's engine backtracks: matching
 * `(x+x+)+y` against 30 characters blocked the process for 52 s.
 * @throws {UnsupportedPattern}
 */
export function compilePattern(source: string, { ignoreCase = false } = {}): Pattern {
  const compiled = compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const instructions = compiled.programSize();
  if (instructions > MAX_INSTRUCTIONS) {
    throw new UnsupportedPattern(source, 'which is too large: use fewer or smaller repetitions such as {100}');
  }
  const maxLength = Math.floor(MAX_STEPS / instructions);
  return {
    exec: (text) => {
      const matcher = compiled.matcher(text.slice(0, maxLength));
      if (!matcher.find()) return null;
      return Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? undefined);
    },
  };
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch {
    const rule = isJavaScript(source)
      ? 'which cannot be matched in linear time: lookaround such as (?=…) and backreferences such as \\1 are not supported'
      : 'which is not a regular expression';
    throw new UnsupportedPattern(source, rule);
  }
}

function isJavaScript(source: string): boolean {
  try {
    return Boolean(new RegExp(source));
  } catch {
    return false;
  }
}
