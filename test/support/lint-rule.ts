import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from './processes/server-process.js';
import { EVERYTHING, LINTERS_SUITE } from './run/extent.js';

/** Path of Biome, which `npm run lint` installs and every full run needs. */
const BIOME = join(PROJECT_FOLDER, 'tools', 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

export interface LintRuleCase {
  subject: string;
  scope: string;
  /** Lines of code, each of which the rule must refuse. */
  refused: readonly string[];
  allowed: readonly string[];
  files: readonly string[];
}

export function testRule(rule: string, { subject, scope, refused, allowed, files }: LintRuleCase): void {
  describe(rule, () => {
    it.skipIf(!EVERYTHING && !existsSync(BIOME))(`refuses ${subject}, and nothing else ${LINTERS_SUITE}`, () => {
      expect(findRefusedLines(rule, [...refused, ...allowed])).toEqual(refused);
    });

    it(`applies to ${scope}`, () => {
      expect(readRuleFiles(rule)).toEqual(files);
    });
  });
}

/** Finds the lines that a lint rule refuses in a file that contains all of them. */
function findRefusedLines(rule: string, lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-rule-'));
  try {
    const config = { root: true, plugins: [join(PROJECT_FOLDER, rule)], linter: { rules: { preset: 'none' } } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'code.ts'), lines.map((line) => `${line}\n`).join(''));
    const { stdout } = spawnSync(process.execPath, [BIOME, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { start: { line: number } } }[] };
    const numbers = new Set(diagnostics.map(({ location }) => location.start.line));
    return lines.filter((_, index) => numbers.has(index + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads a lint rule's files from `biome.json`, or undefined if the rule is not configured. */
function readRuleFiles(rule: string): string[] | undefined {
  const { plugins } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'biome.json'), 'utf8')) as {
    plugins: { path: string; includes: string[] }[];
  };
  return plugins.find(({ path }) => path === `./${rule}`)?.includes;
}
