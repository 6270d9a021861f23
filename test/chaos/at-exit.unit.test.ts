import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = new URL('../../chaos/world/at-exit.mjs', import.meta.url).href;

it.each([
  ['ends normally', ''],
  ['calls process.exit', 'process.exit();'],
  ['throws', 'throw new Error("on purpose");'],
])('the cleanups registered with atExit run in reverse order when a process %s, except unregistered ones', (_, end) => {
  const program = `
    import { atExit } from ${JSON.stringify(MODULE)};
    atExit(() => console.log('folder'));
    const unregister = atExit(() => console.log('closed before'));
    atExit(() => console.log('disk'));
    unregister();
    ${end}`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
  expect(stdout).toBe('disk\nfolder\n');
});
