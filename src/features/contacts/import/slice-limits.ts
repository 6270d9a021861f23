import type { WrittenFields } from '../contact-fields.js';

/** A slice is one transaction. */
export const MAX_SLICE_ROWS = 500;
export const MAX_SLICES = 5_000;

export interface SlicedContact extends Partial<WrittenFields> {
  row: number;
  /** Without it and without a user ID the row is refused. */
  phone?: string;
  userId?: string;
  cells?: string[];
}
