import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { CROWDS, MEASURING, PROCESSES } from './extent.js';

/** Suites that stand in an order. */
const IN_ORDER = [...PROCESSES, ...MEASURING, ...CROWDS];

/** Those whose files take longest stand first; what names none of them stands before the units. */
const KINDS = ['browser', 'fault', 'flow', 'http', '', 'unit'];

/**
 * Runs the files of a project one after the other, for a process that is handed one of another project ends; and the long
 * ones first, so that at the end no long one is waited for alone. Otherwise as Vitest does it.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The sort is stable.
    return sorted.sort((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = IN_ORDER.findIndex((path) => moduleId.endsWith(`/${path}`));
  const { groupOrder } = project.config.sequence;
  if (place !== -1) return groupOrder * 100 + place - IN_ORDER.length;
  const [, kind] = /\.(\w+)\.test\.ts$/.exec(moduleId) ?? [];
  return groupOrder * 100 + KINDS.indexOf(kind ?? '');
}
