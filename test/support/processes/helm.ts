import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { HELM_SUITE } from '../run/provided.js';
import { findProgram } from './debian-packages.js';

const helm = findProgram(['helm']);
const kubectl = findProgram(['kubectl']);

/** A suite that asks helm and kubectl, without a cluster: skipped and counted where one of them is not installed. */
export function describeHelm(name: string, suite: () => void): void {
  describe.skipIf(helm === null || kubectl === null)(`${name} ${HELM_SUITE}`, suite);
}

/** Runs helm with values on its standard input, which `--values -` reads. */
export const runHelm = (args: readonly string[], values = '') => run(helm as string, args, values);

/** Runs kubectl. */
export const runKubectl = (args: readonly string[]) => run(kubectl as string, args, '');

function run(program: string, args: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}
