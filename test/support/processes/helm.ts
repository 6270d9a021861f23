import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { HELM_SUITE } from '../run/provided.js';
import { findProgram } from './debian-packages.js';

const helm = findProgram(['helm']);
const kubectl = findProgram(['kubectl']);

/** Skips and reports the suite if helm or kubectl is not installed. */
export function describeHelm(name: string, suite: () => void): void {
  describe.skipIf(helm === null || kubectl === null)(`${name} ${HELM_SUITE}`, suite);
}

/** @param values text for standard input, which `--values -` reads */
export const runHelm = (args: readonly string[], values = '') => run(helm as string, args, values);

export const runKubectl = (args: readonly string[]) => run(kubectl as string, args, '');

function run(program: string, args: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}
