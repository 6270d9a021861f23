import type { CliContext } from '../../src/cli/context.js';
import { runCli } from '../../src/cli/program.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process, with these settings alone. */
export function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult> {
  return runWith({ env }, ...args);
}

/** Runs one command line in this process. */
export async function runWith(
  context: Pick<CliContext, 'env' | 'carrierTypes'>,
  ...args: string[]
): Promise<CliResult> {
  const result: CliResult = { code: 0, stdout: '', stderr: '' };
  result.code = await runCli(args, {
    ...context,
    write: (text) => {
      result.stdout += text;
    },
    writeError: (text) => {
      result.stderr += text;
    },
  });
  return result;
}

/** The result of a command that must succeed, as scripts read it. */
export async function runJson<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(env, '--json', ...args);
  if (code !== 0) throw new Error(`heliograph ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
