import { findCallingCode } from '../../carriers/numbers/phone-numbers.js';
import { toPlainArray, toTextArray } from '../../platform/store/array-literals.js';

/** Counts by carrier and country, for statements that do not group them in SQL. */
export class AcceptedTally {
  readonly #rows = new Map<string, { carrier: string; prefix: string; messages: number; micros: bigint }>();

  add(carrier: string, recipient: string, micros: bigint): void {
    const prefix = findCallingCode(recipient) ?? '';
    const key = prefix + carrier;
    const row = this.#rows.get(key);
    if (row) {
      row.messages += 1;
      row.micros += micros;
    } else {
      this.#rows.set(key, { carrier, prefix, messages: 1, micros });
    }
  }

  /** Returns arrays for `unnest`: carriers, calling codes, message counts, and costs in millionths of the currency unit. */
  toColumns(): string[] {
    const rows = [...this.#rows.values()];
    return [
      toTextArray(rows.map(({ carrier }) => carrier)),
      toTextArray(rows.map(({ prefix }) => prefix)),
      toPlainArray(rows.map(({ messages }) => messages)),
      toPlainArray(rows.map(({ micros }) => micros)),
    ];
  }
}
