import { useState } from 'react';
import { keptBeside } from '../../browser/drafts.js';
import { inMemory, type Once, onceWith } from './once-with.js';

/**
 * Protects a request against being executed twice; see `createSendOnce`.
 * @param draft the draft that is sent: the idempotency key is stored with it and survives a reload. By default the key is
 * kept as long as the component
 */
export function useOnce(draft?: string): Once {
  const [memory] = useState(inMemory);
  return onceWith(draft === undefined ? memory : keptBeside(draft));
}
