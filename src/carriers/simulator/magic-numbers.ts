import type { ReceiptStatus } from '../carrier.js';

export interface Behavior {
  /** By default every submission is accepted. */
  submit?: 'refused' | 'throttled-twice' | 'answer-lost-once';
  /** In order. Empty: the message never gets a receipt. */
  receipts: readonly ReceiptStatus[];
}

const DEFAULT_BEHAVIOR: Behavior = { receipts: ['delivered'] };

/** In the fictional range +1 500 555; documented in docs/simulator.md. */
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
