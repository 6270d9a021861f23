// node scripts/tool.mjs [NAME [ARGUMENT...]]
//
// Runs a tool that only the linters and checks need, from the folder tools/ with a lockfile of its own: so that who builds or
// tests does not install it. It is installed where it is missing, or other than the lockfile names it. Without a name the
// tools are installed, and none is run.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';

const folder = join(ROOT, 'tools');
const [name, ...args] = process.argv.slice(2);
// What follows a name is the tool's.
if (name?.startsWith('-')) commandLine(import.meta.url);
const installed = join(folder, 'node_modules', '.package-lock.json');
const isInstalled =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
if (!isInstalled) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
if (name) run(join(folder, 'node_modules', '.bin', name), args, ROOT);

/** Ends this process with the command's exit code where that is not 0. */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) console.error(`${command} cannot be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
