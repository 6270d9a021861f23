import type { ReceiptStatus } from '../carrier.js';

/** How the simulator treats a recipient. */
export interface Behaviour {
  /** What happens to a submission; by default it is taken. */
  submit?: 'refused' | 'throttled-twice' | 'answer-lost-once';
  /** The receipts that follow, in order; none for a number that never reports. */
  receipts: readonly ReceiptStatus[];
}

const USUAL: Behaviour = { receipts: ['delivered'] };

/** Recipients with a fate of their own, all in the fictional range +1 500 555. */
const MAGIC_NUMBERS: Readonly<Record<string, Behaviour>> = {
  '15005550001': { submit: 'refused', receipts: [] },
  '15005550002': { receipts: ['undelivered'] },
  '15005550003': { submit: 'throttled-twice', receipts: ['delivered'] },
  '15005550004': { submit: 'answer-lost-once', receipts: ['delivered'] },
  '15005550005': { receipts: [] },
  '15005550006': { receipts: ['delivered', 'read'] },
  '15005550009': { receipts: ['expired'] },
};

/** @param recipient digits with country code */
export function behaviourOf(recipient: string): Behaviour {
  return MAGIC_NUMBERS[recipient] ?? USUAL;
}
