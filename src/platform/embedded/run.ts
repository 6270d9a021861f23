import { spawn } from 'node:child_process';

/** The user who runs PostgreSQL if this process runs as root. */
export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
}

/** `code` is null if the command could not be started or was ended by a signal. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Omits PG* and locale variables, so that a new cluster does not depend on this process's environment. */
export function buildServerEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Never throws. */
export function run(command: string, args: readonly string[], user: ServerUser | null = null): Promise<CommandResult> {
  return new Promise((resolve) => {
    const outcome: CommandResult = { code: null, stdout: '', stderr: '' };
    const child = spawn(command, args, {
      cwd: '/',
      env: buildServerEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    child.stdout.on('data', (chunk) => {
      outcome.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      outcome.stderr += chunk;
    });
    child.once('error', (error) => resolve({ ...outcome, stderr: error.message }));
    child.once('close', (code) => resolve({ ...outcome, code }));
  });
}
