import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { CROWDS, MEASURING, PROCESSES } from './extent.js';

const IN_ORDER = [...PROCESSES, ...MEASURING, ...CROWDS];

/** Kinds of test files, longest first, with '' for files of no other kind. */
const KINDS = ['browser', 'fault', 'flow', 'http', '', 'unit'];

/** Starts each project's longest test files first, so that the run does not end with waiting for a long file. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The sort is stable.
    return sorted.sort((a, b) => rankFile(a) - rankFile(b));
  }
}

function rankFile({ moduleId, project }: TestSpecification): number {
  const index = IN_ORDER.findIndex((path) => moduleId.endsWith(`/${path}`));
  const { groupOrder } = project.config.sequence;
  if (index !== -1) return groupOrder * 100 + index - IN_ORDER.length;
  const [, kind] = /\.(\w+)\.test\.ts$/.exec(moduleId) ?? [];
  return groupOrder * 100 + KINDS.indexOf(kind ?? '');
}
