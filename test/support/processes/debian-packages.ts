import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findProgram(names: readonly string[]): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of [...folders, '/usr/local/bin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin']) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  return null;
}

/** Installs a package if this process is root on Debian or Ubuntu, and returns whether apt-get succeeded. */
export function installPackage(name: string, log: (line: string) => void): boolean {
  if (process.getuid?.() !== 0 || !isDebian()) return false;
  const installArgs = ['install', '-y', '--no-install-recommends', name];
  log(`No ${name} on this machine: installing the Debian package ${name} (apt-get install ${name}).`);
  const restorePolicy = forbidServiceStart();
  try {
    if (aptGet(installArgs)) return true;
    log('apt-get install failed: updating the package lists (apt-get update) and trying once more.');
    aptGet(['update']);
    return aptGet(installArgs);
  } finally {
    restorePolicy();
  }
}

function isDebian(): boolean {
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/etc/os-release')) return false;
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

function aptGet(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** Keeps Debian from starting services of new packages, with a policy-rc.d that exits with 101. */
function forbidServiceStart(): () => void {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => {};
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(policy, { force: true });
}
