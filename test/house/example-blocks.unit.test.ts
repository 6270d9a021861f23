import { expect, it } from 'vitest';
import { checkBlocks } from '../../scripts/lib/examples/block-rules.mjs';
import { listPages, readBlocks } from '../../scripts/lib/examples/run-page.mjs';

it('every page runs its commands or gives the reason why they cannot run', () => {
  const offenders = listPages().flatMap((page) => checkBlocks(page, readBlocks(page)));
  expect(offenders).toEqual([]);
});
