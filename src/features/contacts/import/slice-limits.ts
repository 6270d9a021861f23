import type { WrittenFields } from '../contact-fields.js';
import type { RowMarks } from '../custom/imported-marks.js';

/** Each slice is imported in one transaction. */
export const MAX_SLICE_ROWS = 500;
export const MAX_SLICES = 5_000;

export interface SlicedContact extends Partial<WrittenFields>, RowMarks {
  row: number;
  /** A row with neither a number nor a user ID is refused. */
  phone?: string;
  userId?: string;
  cells?: string[];
}
