import { afterAll, beforeAll } from 'vitest';
import type { CliContext } from '../../src/cli/context.js';
import { runCli } from '../../src/cli/program.js';
import { openTestStore, type TestStore } from '../support/open-test-store.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

type Settings = Pick<CliContext, 'env' | 'carrierTypes' | 'prompt'>;

export function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult> {
  return runWith({ env }, ...args);
}

export async function runJson<T>(env: NodeJS.ProcessEnv, ...args: string[]): Promise<T> {
  return parseResult<T>(await run(env, '--json', ...args), args);
}

export interface TestCommands {
  readonly store: TestStore;
  cli(...args: string[]): Promise<CliResult>;
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  cliWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult>;
  cliWithAnswers(
    env: NodeJS.ProcessEnv,
    answers: readonly string[],
    ...args: string[]
  ): Promise<CliResult & { questions: string[] }>;
  createAccount(name: string): Promise<string>;
}

export function commandsOnTestStore({ env, carrierTypes }: Settings = {}): TestCommands {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store?.close());

  const cli = (...args: string[]) => runWith({ env: { ...env, DATABASE_URL: store.url }, carrierTypes }, ...args);
  const json = async <T>(...args: string[]) => parseResult<T>(await cli('--json', ...args), args);
  return {
    get store() {
      return store;
    },
    cli,
    cliWith: (extraEnv, ...args) =>
      runWith({ env: { ...env, ...extraEnv, DATABASE_URL: store.url }, carrierTypes }, ...args),
    cliWithAnswers: async (extraEnv, answers, ...args) => {
      const questions: string[] = [];
      const prompt = async (question: string) => {
        const answer = answers[questions.push(question) - 1];
        if (answer === undefined) throw new Error(`no answer for ${question}`);
        return answer;
      };
      const result = await runWith(
        { env: { ...env, ...extraEnv, DATABASE_URL: store.url }, carrierTypes, prompt },
        ...args,
      );
      return { ...result, questions };
    },
    json,
    createAccount: async (name) => (await json<{ id: string }>('account', 'create', name)).id,
  };
}

async function runWith(context: Settings, ...args: string[]): Promise<CliResult> {
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

function parseResult<T>({ code, stdout, stderr }: CliResult, args: readonly string[]): T {
  if (code !== 0) throw new Error(`heliograph ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
