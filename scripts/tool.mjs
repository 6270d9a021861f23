// node scripts/tool.mjs [NAME [ARGUMENT...]]
//
// Runs a linter or another tool that the checks use. Tools are in the folder tools/ with their own lockfile, so that a build
// does not install them. The script first installs tools that are missing or outdated, and runs no tool without NAME.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseCommandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';

const folder = join(ROOT, 'tools');
const [name, ...args] = process.argv.slice(2);
// Options after a name are options of the tool.
if (name?.startsWith('-')) parseCommandLine(import.meta.url);
const installedLockfile = join(folder, 'node_modules', '.package-lock.json');
const isInstalled =
  existsSync(installedLockfile) &&
  statSync(installedLockfile).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
if (!isInstalled) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
if (name) run(join(folder, 'node_modules', '.bin', name), args, ROOT);

/** Runs a command. If the command fails, this process exits with the exit code of the command. */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) console.error(`${command} cannot be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
