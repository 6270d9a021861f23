import { useState } from 'react';
import { keptBeside } from '../../browser/drafts.js';
import { inMemory, type Once, onceWith } from './once-with.js';

/**
 * For what must not happen twice: see `onceWith`.
 * @param beside the draft that it is made of, and that outlives the page: its key does so too. Without one it lives as long as
 * what asks for it is shown
 */
export function useOnce(beside?: string): Once {
  const [memory] = useState(inMemory);
  return onceWith(beside === undefined ? memory : keptBeside(beside));
}
