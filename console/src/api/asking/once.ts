import { useState } from 'react';
import { keptBeside } from '../../browser/drafts.js';
import { inMemory, type Once, onceWith } from './once-with.js';

/**
 * Protects a request against being executed twice. With `draft`, its idempotency key is stored beside the draft and survives a
 * reload.
 */
export function useOnce(draft?: string): Once {
  const [memory] = useState(inMemory);
  return onceWith(draft === undefined ? memory : keptBeside(draft));
}
