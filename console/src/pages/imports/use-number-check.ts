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

export interface BadNumber {
  row: number;
  written: string;
  reason: string;
}

export interface Numbers {
  checked: number;
  refused: number;
  bad: BadNumber[];
  /** How many numbers have no plus sign; `example` is the first of them. */
  withoutPlus: number;
  example: string;
  isDone: boolean;
}

const NOTHING_CHECKED: Numbers = { checked: 0, refused: 0, bad: [], withoutPlus: 0, example: '', isDone: false };
const MAX_SHOWN = 5;
const STEP_ROWS = 100;
/** Milliseconds of work before the browser can render and handle input. */
const WORK_MS = 12;

/** Applies the server's rules in small steps, so that the page stays responsive. */
export function useNumbers(
  file: CsvFile,
  { phone, userId }: Pick<Mapping, 'phone' | 'userId'>,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): Numbers {
  const [numbers, setNumbers] = useState<Numbers>(NOTHING_CHECKED);
  useEffect(() => {
    setNumbers(NOTHING_CHECKED);
    if (phone === null && userId === null) return;
    const readColumn = (cells: readonly string[], column: number | null) =>
      column === null ? '' : readCell((cells[column] ?? '').trim());
    const results: Numbers = { ...NOTHING_CHECKED, bad: [] };
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      const end = performance.now() + WORK_MS;
      while (results.checked < file.rows.length && performance.now() < end) {
        for (const { row, cells } of file.rows.slice(results.checked, results.checked + STEP_ROWS)) {
          const reason = describeExtraCells(cells, file.header.length);
          const identifiers = { row, written: readColumn(cells, phone), userId: readColumn(cells, userId), reason };
          checkRow(results, identifiers, { country, kind });
        }
      }
      results.isDone = results.checked >= file.rows.length;
      setNumbers({ ...results, bad: [...results.bad] });
      if (!results.isDone) timer = setTimeout(turn);
    };
    timer = setTimeout(turn);
    return () => clearTimeout(timer);
  }, [file, phone, userId, country, kind]);
  return numbers;
}

interface RowIdentifiers {
  row: number;
  written: string;
  userId: string;
  /** Reason to refuse the row regardless of its number. */
  reason: string | null;
}

function checkRow(
  results: Numbers,
  { row, written, userId, reason }: RowIdentifiers,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): void {
  results.checked += 1;
  if (lacksPlus(written)) {
    results.withoutPlus += 1;
    if (results.example === '') results.example = written;
  }
  const hasNumber = written !== '' || userId === '';
  const read = hasNumber ? readWrittenNumber(written, country, kind) : null;
  const isValid = reason === null && (userId === '' || isOwnUserId(userId));
  if (!(read && 'reason' in read) && isValid) return;
  results.refused += 1;
  if (results.bad.length >= MAX_SHOWN) return;
  const bad =
    read && 'reason' in read ? { written, reason: read.reason } : { written: userId, reason: OWN_USER_ID_RULE };
  results.bad.push({ row, ...(reason === null ? bad : { written, reason }) });
}
