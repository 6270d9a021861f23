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

export interface NumberCheck {
  checkedCount: number;
  refusedCount: number;
  badNumbers: BadNumber[];
  /** How many phone numbers have no plus sign; `example` is the first such number. */
  withoutPlus: number;
  example: string;
  isDone: boolean;
}

const NOTHING_CHECKED: NumberCheck = {
  checkedCount: 0,
  refusedCount: 0,
  badNumbers: [],
  withoutPlus: 0,
  example: '',
  isDone: false,
};
const MAX_SHOWN = 5;
const STEP_ROWS = 100;
/** Milliseconds of work after which the check pauses, so that the browser can render and handle input. */
const WORK_MS = 12;

/** Applies the server's number rules in small steps, so that the page stays responsive. */
export function useNumbers(
  file: CsvFile,
  { phone, userId }: Pick<Mapping, 'phone' | 'userId'>,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): NumberCheck {
  const [numbers, setNumbers] = useState<NumberCheck>(NOTHING_CHECKED);
  useEffect(() => {
    setNumbers(NOTHING_CHECKED);
    if (phone === null && userId === null) return;
    const readColumn = (cells: readonly string[], column: number | null) =>
      column === null ? '' : readCell((cells[column] ?? '').trim());
    const results: NumberCheck = { ...NOTHING_CHECKED, badNumbers: [] };
    let timer: ReturnType<typeof setTimeout>;
    const checkNextRows = () => {
      const deadline = performance.now() + WORK_MS;
      while (results.checkedCount < file.rows.length && performance.now() < deadline) {
        for (const { row, cells } of file.rows.slice(results.checkedCount, results.checkedCount + STEP_ROWS)) {
          const reason = describeExtraCells(cells, file.header.length);
          const identifiers = { row, written: readColumn(cells, phone), userId: readColumn(cells, userId), reason };
          checkRow(results, identifiers, { country, kind });
        }
      }
      results.isDone = results.checkedCount >= file.rows.length;
      setNumbers({ ...results, badNumbers: [...results.badNumbers] });
      if (!results.isDone) timer = setTimeout(checkNextRows);
    };
    timer = setTimeout(checkNextRows);
    return () => clearTimeout(timer);
  }, [file, phone, userId, country, kind]);
  return numbers;
}

interface RowIdentifiers {
  row: number;
  written: string;
  userId: string;
  /** Reason to refuse the row even if its number is valid, or null. */
  reason: string | null;
}

function checkRow(
  results: NumberCheck,
  { row, written, userId, reason }: RowIdentifiers,
  { country, kind }: { country: NumbersWithoutPlus; kind: NumberKind },
): void {
  results.checkedCount += 1;
  if (lacksPlus(written)) {
    results.withoutPlus += 1;
    if (results.example === '') results.example = written;
  }
  const hasNumber = written !== '' || userId === '';
  const result = hasNumber ? readWrittenNumber(written, country, kind) : null;
  const isValid = reason === null && (userId === '' || isOwnUserId(userId));
  if (!(result && 'reason' in result) && isValid) return;
  results.refusedCount += 1;
  if (results.badNumbers.length >= MAX_SHOWN) return;
  const bad =
    result && 'reason' in result ? { written, reason: result.reason } : { written: userId, reason: OWN_USER_ID_RULE };
  results.badNumbers.push({ row, ...(reason === null ? bad : { written, reason }) });
}
