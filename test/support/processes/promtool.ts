import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { PROMTOOL_SUITE } from '../run/provided.js';
import { findProgram } from './debian-packages.js';

const promtool = findProgram(['promtool']);

/** Skips and reports the suite if Prometheus' promtool is not installed. */
export function describePromtool(name: string, suite: () => void): void {
  describe.skipIf(promtool === null)(`${name} ${PROMTOOL_SUITE}`, suite);
}

export function runPromtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(promtool as string, args, { input, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}
