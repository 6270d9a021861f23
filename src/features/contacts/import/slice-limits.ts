import type { WrittenFields } from '../contact-fields.js';

/** Most rows of a slice: they are one transaction. */
export const MAX_SLICE_ROWS = 500;
/** Most slices of an import: two and a half million rows. */
export const MAX_SLICES = 5_000;

/** A row of a slice, with its number in the file. */
export interface SlicedContact extends Partial<WrittenFields> {
  row: number;
  /** Without it and without a user id the row is refused. */
  phone?: string;
  userId?: string;
  /** All cells of the row as they are written, for the file of refused rows. */
  cells?: string[];
}
