import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exampleEnvironment } from './server.mjs';

/** Only for commands that hang. */
const TIMEOUT_MS = 300_000;

/** Starts the command directly, because npm needs more processor time for `npx heliograph` than most commands. */
const DIRECT_NPX = `npx() {
  if [ "$1" = heliograph ]; then ./node_modules/.bin/"$@"; else command npx "$@"; fi
}
export -f npx`;

/**
 * @typedef {object} StepResult
 * @property {string} printed standard output, and standard error too if the page shows it as text
 * @property {string} errors standard error, unless it is in `printed`
 */

/** @typedef {{result: StepResult, step: number, reason: string}} ShellFailure */

/**
 * Runs the steps of a page in one shell and ends every process that they started.
 * @param {import('./page-blocks.mjs').Step[]} steps
 * @param {{work: string, own: string}} folders
 * @param {object} options
 * @param {Record<string, string>} options.settings
 * @param {(text: string) => string} options.adapt changes a block before it runs
 * @param {boolean} options.usesNpm whether npm runs `npx heliograph`
 * @returns {Promise<{results: StepResult[], failure: ShellFailure | null}>}
 */
export async function runSteps(steps, folders, { settings, adapt, usesNpm }) {
  const toPath = (name) => join(folders.own, name);
  const script = steps.flatMap(({ block, files, output }, number) => {
    // The last command makes the result that of the block itself: a last `test … && …` does not fail it.
    writeFileSync(toPath(`${number}.sh`), `${adapt(block.text)}\n:\n`);
    const saves = files.map(({ file, text }, index) => {
      writeFileSync(toPath(`${number}.file-${index}`), adapt(text));
      const target = join(folders.work, file ?? '');
      return `mkdir -p ${quote(dirname(target))}; cp ${quote(toPath(`${number}.file-${index}`))} ${quote(target)}`;
    });
    const errors = output?.language === 'text' ? '&1' : `${quote(toPath(`${number}.errors`))}`;
    return [
      `printf ${number} > ${quote(toPath('step'))}`,
      ...saves,
      `exec > ${quote(toPath(`${number}.printed`))} 2>${errors}`,
      `source ${quote(toPath(`${number}.sh`))}`,
    ];
  });
  mkdirSync(folders.own, { recursive: true });
  writeFileSync(toPath('main.sh'), `${[...(usesNpm ? [] : [DIRECT_NPX]), ...script].join('\n')}\n`);
  const end = await runScript(toPath('main.sh'), folders.work, settings);
  const readText = (name) => (existsSync(toPath(name)) ? readFileSync(toPath(name), 'utf8') : '');
  const results = steps.map((_, number) => ({
    printed: readText(`${number}.printed`),
    errors: readText(`${number}.errors`),
  }));
  if (end === null) return { results, failure: null };
  const step = Number(readText('step'));
  return { results, failure: { result: results[step], step, reason: end } };
}

/** @returns {Promise<string | null>} why it failed */
async function runScript(script, folder, settings) {
  const shell = spawn('bash', ['-euo', 'pipefail', script], {
    cwd: folder,
    env: exampleEnvironment({
      ...settings,
      npm_config_update_notifier: 'false',
      npm_config_offline: 'true',
      PYTHONDONTWRITEBYTECODE: '1',
      NO_COLOR: '1',
    }),
    stdio: 'ignore',
    // Its own process group, so that commands in the background can be ended with it.
    detached: true,
  });
  const endGroup = () => {
    try {
      if (shell.pid) process.kill(-shell.pid, 'SIGKILL');
    } catch {
      // All processes have ended.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup();
  }, TIMEOUT_MS);
  process.once('exit', endGroup);
  try {
    const [code, signal] = await once(shell, 'exit');
    if (isLate) return `did not finish in ${TIMEOUT_MS / 1000} s`;
    if (code === 0) return null;
    return signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
  } finally {
    clearTimeout(timer);
    process.off('exit', endGroup);
    endGroup();
  }
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
