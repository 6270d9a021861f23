import type { Static } from '@sinclair/typebox';
import { CONTACT_FIELD_NAMES } from '../../../src/features/contacts/contact-fields.js';
import type {
  ImportEntry,
  SliceBody,
  StartImportBody,
} from '../../../src/surfaces/admin/contract/people/imports-schemas.js';
import type { ChannelRef } from './channel-ref.js';
import { call } from './client/call.js';
import { buildChannelPath } from './people.js';

export type Import = Static<typeof ImportEntry>;
export type ImportRow = Static<typeof SliceBody>['rows'][number];

export type ImportStart = Static<typeof StartImportBody>;

export const readImport = (channelRef: ChannelRef, id: string, signal: AbortSignal) =>
  call('GET /accounts/:accountId/channels/:channelId/imports/:id', { params: { ...channelRef, id }, signal });

export const buildRefusedUrl = (channelRef: ChannelRef, id: string) =>
  `/admin/v1${buildChannelPath(channelRef)}/imports/${id}/refused`;

export const discardImport = (channelRef: ChannelRef, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/imports/:id', { params: { ...channelRef, id } });

const SLICE_ROWS = 500;
/** Maximum number of characters in a slice, well below the server's limit for a request body. */
const SLICE_CHARACTERS = 250_000;
const PARALLEL_SLICES = 3;

export function splitIntoSlices(rows: readonly ImportRow[]): ImportRow[][] {
  const slices: ImportRow[][] = [];
  let slice: ImportRow[] = [];
  let characters = 0;
  for (const row of rows) {
    const cells = row.cells?.reduce((sum, cell) => sum + cell.length + 3, 0) ?? 0;
    const length =
      40 +
      (row.phone?.length ?? 0) +
      (row.userId?.length ?? 0) +
      CONTACT_FIELD_NAMES.reduce((sum, name) => sum + (row[name]?.length ?? 0), 0) +
      JSON.stringify([row.fields, row.tags]).length +
      cells;
    if (slice.length === SLICE_ROWS || (slice.length > 0 && characters + length > SLICE_CHARACTERS)) {
      slices.push(slice);
      slice = [];
      characters = 0;
    }
    slice.push(row);
    characters += length;
  }
  if (slice.length > 0) slices.push(slice);
  return slices;
}

/** Upload in progress; a retry skips the slices that were already sent. */
export interface ImportUpload {
  slices: readonly ImportRow[][];
  country?: string;
  options: Omit<ImportStart, 'slices' | 'totalRows'>;
  id: string | null;
  sentPositions: Set<number>;
}

/** The server starts the import when it has all slices. Returns the import's ID. */
export async function sendImport(
  channelRef: ChannelRef,
  upload: ImportUpload,
  onProgress: (rows: number) => void,
): Promise<string> {
  const { slices, country, options, sentPositions } = upload;
  const totalRows = slices.reduce((sum, slice) => sum + slice.length, 0);
  const importId = upload.id ?? (await startImport(channelRef, { ...options, slices: slices.length, totalRows }));
  upload.id = importId;
  const remaining = slices.keys();
  const sendRemaining = async () => {
    for (const position of remaining) {
      const rows = slices[position];
      if (!rows || sentPositions.has(position)) continue;
      await call('PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position', {
        params: { ...channelRef, id: importId, position },
        body: { rows, country },
      });
      sentPositions.add(position);
      onProgress([...sentPositions].reduce((sum, position) => sum + (slices[position]?.length ?? 0), 0));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_SLICES }, sendRemaining));
  return importId;
}

async function startImport(channelRef: ChannelRef, body: ImportStart): Promise<string> {
  return (await call('POST /accounts/:accountId/channels/:channelId/imports', { params: channelRef, body })).id;
}
