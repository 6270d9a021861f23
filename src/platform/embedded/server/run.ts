import { spawn } from 'node:child_process';

/** The user that PostgreSQL runs as where this process is root. */
export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
}

/** What a command that ended has said. `code` is null when it could not be started or a signal ended it. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * The whole environment of PostgreSQL's programs: none of this process's PG* or locale variables, so that a cluster is
 * the same wherever it was made.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a command to its end, as another user where one is given. Never throws: a failure is an outcome. */
export function run(command: string, args: readonly string[], user: ServerUser | null = null): Promise<Outcome> {
  return new Promise((resolve) => {
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    const child = spawn(command, args, {
      // The user may not be able to enter the present folder.
      cwd: '/',
      env: serverEnvironment(),
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
