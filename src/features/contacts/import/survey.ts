import { open } from 'node:fs/promises';
import { lacksPlus, type NumbersWithoutPlus, regionOfNumber } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { decodeText, type Encoding, layoutOf } from '../../../platform/text/csv-text.js';
import type { ImportRow } from './check-row.js';
import { encodingOf, openImportFile } from './import-file.js';

/** How a file is read, as somebody said it or as it shows. */
export interface FileReading {
  encoding: Encoding;
  delimiter: string;
}

/** Bytes by which the layout of a file is found. */
const BEGINNING = 16_384;

/** How a file is read: what was not said of it is found out. */
export async function readingOf(path: string, said: Partial<FileReading>): Promise<FileReading> {
  const encoding = said.encoding ?? (await encodingOf(path));
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const beginning = decodeText(encoding, buffer.subarray(0, bytesRead));
    return { encoding, delimiter: layoutOf(beginning, said.delimiter).delimiter };
  } finally {
    await file.close();
  }
}

/** A row as it would be imported, or why it would not. */
export interface SurveyedRow {
  row: number;
  /** As it stands there. */
  written: string;
  /** Digits with country code. */
  phone?: string;
  /** WhatsApp's id, where the row has one. */
  userId?: string;
  region?: string | null;
  reason?: string;
}

export interface Survey {
  rows: number;
  /** Rows whose number has no plus sign, and the first such number. */
  withoutPlus: number;
  example: string | null;
  refused: number;
  /** Headings of columns that are not imported. */
  ignoredColumns: string[];
  /** The first rows, and the first of those that would be refused. */
  shown: SurveyedRow[];
}

const SHOWN = 10;

function readAs({ phone, userId }: ImportRow): Pick<SurveyedRow, 'phone' | 'userId' | 'region'> {
  return {
    ...(phone !== null && { phone, region: regionOfNumber(phone) }),
    ...(userId !== null && { userId }),
  };
}

/** Reads a file without importing anything: what its numbers are, and which rows would be refused. */
export async function surveyFile(
  path: string,
  options: FileReading & { country: NumbersWithoutPlus; kind: ChannelKind },
): Promise<Survey> {
  const { rows, ignoredColumns } = await openImportFile(path, { ...options, skip: 0 });
  const survey: Survey = { rows: 0, withoutPlus: 0, example: null, refused: 0, ignoredColumns, shown: [] };
  for await (const each of rows) {
    const written = ('written' in each ? each.written : each.phone) ?? '';
    survey.rows += 1;
    if (lacksPlus(written)) {
      survey.withoutPlus += 1;
      survey.example ??= written;
    }
    const isRefused = 'reason' in each;
    if (isRefused) survey.refused += 1;
    if (isRefused ? survey.refused <= SHOWN : survey.rows - survey.refused <= SHOWN) {
      const { row } = each;
      survey.shown.push(isRefused ? { row, written, reason: each.reason } : { row, written, ...readAs(each) });
    }
  }
  return survey;
}
