import { useEffect, useState } from 'react';
import { isOwnUserId, OWN_USER_ID_RULE } from '../../../../src/carriers/numbers/user-ids.js';
import {
  lacksPlus,
  type NumberKind,
  type NumbersWithoutPlus,
  readWrittenNumber,
} from '../../../../src/carriers/numbers/written-numbers.js';
import { describeExtraCells, readCell } from '../../../../src/platform/text/csv-text.js';
import type { CsvFile, Mapping } from './mapping.js';

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

/** Looks at every number of a file, and at every user id, as the server will, a little at a time. */
export function useNumbers(
  file: CsvFile,
  { phone, userId }: Pick<Mapping, 'phone' | 'userId'>,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): Numbers {
  const [numbers, setNumbers] = useState<Numbers>(NONE);
  useEffect(() => {
    setNumbers(NONE);
    if (phone === null && userId === null) return;
    const cellOf = (cells: readonly string[], column: number | null) =>
      column === null ? '' : readCell((cells[column] ?? '').trim());
    const found: Numbers = { ...NONE, bad: [] };
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      const end = performance.now() + TURN_MS;
      while (found.looked < file.rows.length && performance.now() < end) {
        for (const { row, cells } of file.rows.slice(found.looked, found.looked + STEP_ROWS)) {
          const reason = describeExtraCells(cells, file.header.length);
          const looked = { row, written: cellOf(cells, phone), userId: cellOf(cells, userId), reason };
          look(found, looked, { country, kind });
        }
      }
      found.isDone = found.looked >= file.rows.length;
      setNumbers({ ...found, bad: [...found.bad] });
      if (!found.isDone) timer = setTimeout(turn);
    };
    timer = setTimeout(turn);
    return () => clearTimeout(timer);
  }, [file, phone, userId, country, kind]);
  return numbers;
}

interface Looked {
  row: number;
  written: string;
  userId: string;
  /** Why the row is refused whatever its number is. */
  reason: string | null;
}

function look(
  found: Numbers,
  { row, written, userId, reason }: Looked,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): void {
  found.looked += 1;
  if (lacksPlus(written)) {
    found.withoutPlus += 1;
    if (found.example === '') found.example = written;
  }
  const hasNumber = written !== '' || userId === '';
  const read = hasNumber ? readWrittenNumber(written, country, kind) : null;
  const isGood = reason === null && (userId === '' || isOwnUserId(userId));
  if (!(read && 'reason' in read) && isGood) return;
  found.refused += 1;
  if (found.bad.length >= KEPT) return;
  const bad =
    read && 'reason' in read ? { written, reason: read.reason } : { written: userId, reason: OWN_USER_ID_RULE };
  found.bad.push({ row, ...(reason === null ? bad : { written, reason }) });
}
