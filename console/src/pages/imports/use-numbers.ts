import { useEffect, useState } from 'react';
import {
  lacksPlus,
  type NumbersWithoutPlus,
  readWrittenNumber,
} from '../../../../src/carriers/numbers/written-numbers.js';
import { readCell } from '../../../../src/platform/text/csv-text.js';
import type { CsvFile } from './mapping.js';

/** A number that cannot be read, and the rule that it breaks. */
export interface BadNumber {
  row: number;
  written: string;
  reason: string;
}

/** What the numbers of a file come to, as far as they were looked at. */
export interface Numbers {
  looked: number;
  refused: number;
  /** The first of those that cannot be read. */
  bad: BadNumber[];
  /** How many are written without a plus sign, and the first such. */
  withoutPlus: number;
  example: string;
  isDone: boolean;
}

const NONE: Numbers = { looked: 0, refused: 0, bad: [], withoutPlus: 0, example: '', isDone: false };
const KEPT = 5;
/** Rows between two looks at the clock, and milliseconds after which the page gets its turn. */
const STEP_ROWS = 100;
const TURN_MS = 12;

/** Looks at every number of a column as the server will, a little at a time. */
export function useNumbers(file: CsvFile, column: number | null, country: NumbersWithoutPlus): Numbers {
  const [numbers, setNumbers] = useState<Numbers>(NONE);
  useEffect(() => {
    setNumbers(NONE);
    if (column === null) return;
    const found: Numbers = { ...NONE, bad: [] };
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      const end = performance.now() + TURN_MS;
      while (found.looked < file.rows.length && performance.now() < end) {
        for (const { row, cells } of file.rows.slice(found.looked, found.looked + STEP_ROWS)) {
          look(found, row, readCell((cells[column] ?? '').trim()), country);
        }
      }
      found.isDone = found.looked >= file.rows.length;
      setNumbers({ ...found, bad: [...found.bad] });
      if (!found.isDone) timer = setTimeout(turn);
    };
    timer = setTimeout(turn);
    return () => clearTimeout(timer);
  }, [file, column, country]);
  return numbers;
}

function look(found: Numbers, row: number, written: string, country: NumbersWithoutPlus): void {
  found.looked += 1;
  if (lacksPlus(written)) {
    found.withoutPlus += 1;
    if (found.example === '') found.example = written;
  }
  const read = readWrittenNumber(written, country);
  if (!('reason' in read)) return;
  found.refused += 1;
  if (found.bad.length < KEPT) found.bad.push({ row, written, reason: read.reason });
}
