import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = new URL('../../chaos/world/at-exit.mjs', import.meta.url).href;

it.each([
  ['is at its end', ''],
  ['calls process.exit', 'process.exit();'],
  ['throws', 'throw new Error("on purpose");'],
])('what must not outlive a process that %s is undone, the last first, and what was undone before is not', (_, end) => {
  const program = `
    import { atExit } from ${JSON.stringify(MODULE)};
    atExit(() => console.log('folder'));
    const undone = atExit(() => console.log('closed before'));
    atExit(() => console.log('disk'));
    undone();
    ${end}`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  expect(stdout).toBe('disk\nfolder\n');
});
