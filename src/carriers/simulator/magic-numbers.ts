import type { ReceiptStatus } from '../carrier.js';

export interface Behavior {
  /** How submissions fail; without this field, every submission is accepted. */
  submit?: 'refused' | 'throttled-twice' | 'answer-lost-once';
  /** Receipts in the order in which they are sent; a message with an empty list never gets a receipt. */
  receipts: readonly ReceiptStatus[];
}

const DEFAULT_BEHAVIOR: Behavior = { receipts: ['delivered'] };

/** Numbers in the fictional range +1 500 555, which are documented in docs/carriers/simulator.md. */
const MAGIC_NUMBERS: Readonly<Record<string, Behavior>> = {
  '15005550001': { submit: 'refused', receipts: [] },
  '15005550002': { receipts: ['undelivered'] },
  '15005550003': { submit: 'throttled-twice', receipts: ['delivered'] },
  '15005550004': { submit: 'answer-lost-once', receipts: ['delivered'] },
  '15005550005': { receipts: [] },
  '15005550006': { receipts: ['delivered', 'read'] },
  '15005550009': { receipts: ['expired'] },
};

/** @param recipient digits with country code */
export function findBehavior(recipient: string): Behavior {
  return MAGIC_NUMBERS[recipient] ?? DEFAULT_BEHAVIOR;
}
