import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runToEnd } from '../support/processes/run-to-end.js';

/** A start that must fail: what it says, in one sentence or a few, without a stack. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const { code, output } = await runToEnd({ PORT: '0', LOG_LEVEL: 'error', ...settings });
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
  return output;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a DATA_DIR that cannot be used', () => {
  it('is refused where it is a file, or below one', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: file })).toContain(
      `DATA_DIR ${file} cannot be used: there is something of this name that is no folder.`,
    );
    expect(await refusal({ DATA_DIR: join(file, 'below') })).toContain('below something that is no folder');
  });

  it.runIf(process.platform === 'linux')('is refused where no folder can be made', async () => {
    expect(await refusal({ DATA_DIR: '/proc/x' })).toContain(
      'DATA_DIR /proc/x cannot be used: no folder can be made there. Set DATA_DIR to a folder',
    );
  });
});
