import { useState } from 'react';
import { draftStorage } from '../../browser/drafts.js';
import { createSendOnce, memoryStorage, type SendOnce } from './send-once.js';

/**
 * Protects a request against being executed twice. With `draft`, the idempotency key is stored next to the draft and survives a
 * reload.
 */
export function useSendOnce(draft?: string): SendOnce {
  const [memory] = useState(memoryStorage);
  return createSendOnce(draft === undefined ? memory : draftStorage(draft));
}
