import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const run = promisify(execFile);
const END = '<end of block>';
/** For tests that run commands. */
export const COMMANDS_TIMEOUT = { timeout: 90_000 };

/**
 * Runs the `bash` blocks of a document in one shell, like a reader who pastes them. @returns their outputs
 * @param document path from the project's folder
 * @param cwd the folder with `.data`
 * @throws when a command fails, or leaves a file in `cwd`: in a checkout, a key could be committed with it
 */
export async function runDocumentCommands(document: string, cwd: string): Promise<string[]> {
  const text = readFileSync(join(PROJECT_FOLDER, document), 'utf8');
  const blocks = [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, commands]) => String(commands));
  const script = blocks.map((block) => `${block}\nprintf '\\n%s\\n' '${END}'\n`).join('');
  const filesBefore = readdirSync(cwd);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    timeout: 80_000,
  });
  const leftFiles = readdirSync(cwd).filter((name) => !filesBefore.includes(name));
  if (leftFiles.length > 0) throw new Error(`${document} leaves ${leftFiles.join(', ')} in the folder`);
  return stdout
    .split(END)
    .slice(0, -1)
    .map((part) => part.trim());
}
