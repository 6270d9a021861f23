import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/**
 * The numbers, from 1, of the lines that a rule of ours refuses.
 * @param rule its file, from the project's folder
 */
export function refusedLines(rule: string, lines: readonly string[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-rule-'));
  try {
    const config = { root: true, plugins: [join(PROJECT_FOLDER, rule)], linter: { rules: { preset: 'none' } } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'lines.ts'), lines.map((line) => `${line}\n`).join(''));
    const biome = join(PROJECT_FOLDER, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { start: { line: number } } }[] };
    return diagnostics.map(({ location }) => location.start.line).sort((a, b) => a - b);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rules of ours that `biome.json` has, with the files each is for. */
export function projectRules(): unknown[] {
  return JSON.parse(readFileSync(join(PROJECT_FOLDER, 'biome.json'), 'utf8')).plugins;
}
