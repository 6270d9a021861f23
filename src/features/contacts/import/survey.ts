import { open } from 'node:fs/promises';
import { findRegion, lacksPlus, type NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { decodeText, detectLayout, type Encoding } from '../../../platform/text/csv-text.js';
import type { CustomColumns } from '../custom/columns.js';
import type { ImportRow } from './check-row.js';
import { detectEncoding, openImportFile } from './import-file.js';

/** Requested or detected. */
export interface FileReading {
  encoding: Encoding;
  delimiter: string;
}

const SAMPLE_BYTES = 16_384;

export async function detectReading(path: string, requested: Partial<FileReading>): Promise<FileReading> {
  const encoding = requested.encoding ?? (await detectEncoding(path));
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    const beginning = decodeText(encoding, buffer.subarray(0, bytesRead));
    return { encoding, delimiter: detectLayout(beginning, requested.delimiter).delimiter };
  } finally {
    await file.close();
  }
}

export interface SurveyedRow {
  row: number;
  /** The number as written. */
  written: string;
  /** Digits with country code. */
  phone?: string;
  userId?: string;
  region?: string | null;
  reason?: string;
}

export interface Survey {
  /** As in the file. */
  header: readonly string[];
  rows: number;
  withoutPlus: number;
  example: string | null;
  refused: number;
  ignoredColumns: string[];
  shown: SurveyedRow[];
}

const MAX_SHOWN = 10;

function describeRow({ phone, userId }: ImportRow): Pick<SurveyedRow, 'phone' | 'userId' | 'region'> {
  return {
    ...(phone !== null && { phone, region: findRegion(phone) }),
    ...(userId !== null && { userId }),
  };
}

/** Reads the file without importing anything. */
export async function surveyFile(
  path: string,
  options: FileReading & { country: NumbersWithoutPlus; kind: ChannelKind; custom?: CustomColumns },
): Promise<Survey> {
  const { header, rows, ignoredColumns } = await openImportFile(path, { ...options, skip: 0 });
  const survey: Survey = { header, rows: 0, withoutPlus: 0, example: null, refused: 0, ignoredColumns, shown: [] };
  for await (const each of rows) {
    const written = ('written' in each ? each.written : each.phone) ?? '';
    survey.rows += 1;
    if (lacksPlus(written)) {
      survey.withoutPlus += 1;
      survey.example ??= written;
    }
    const isRefused = 'reason' in each;
    if (isRefused) survey.refused += 1;
    if (isRefused ? survey.refused <= MAX_SHOWN : survey.rows - survey.refused <= MAX_SHOWN) {
      const { row } = each;
      survey.shown.push(isRefused ? { row, written, reason: each.reason } : { row, written, ...describeRow(each) });
    }
  }
  return survey;
}
