import type { Static } from '@sinclair/typebox';
import { CONTACT_FIELD_NAMES } from '../../../src/features/contacts/contact-fields.js';
import type {
  ImportEntry,
  SliceBody,
  StartImportBody,
} from '../../../src/surfaces/admin/contract/people/imports-schemas.js';
import { call } from './asking/call.js';
import { type Place, placePath } from './people.js';

export type Import = Static<typeof ImportEntry>;
export type ImportRow = Static<typeof SliceBody>['rows'][number];

export type ImportStart = Static<typeof StartImportBody>;

/** How far an import is. */
export const readImport = (place: Place, id: string, signal: AbortSignal) =>
  call('GET /accounts/:accountId/channels/:channelId/imports/:id', { params: { ...place, id }, signal });

/** Where the refused rows of an import can be had as a file. */
export const refusedUrl = (place: Place, id: string) => `/admin/v1${placePath(place)}/imports/${id}/refused`;

export const discardImport = (place: Place, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/imports/:id', { params: { ...place, id } });

/** As many as the server takes in one transaction. */
const SLICE_ROWS = 500;
/** Characters of a slice, well below what the server takes as a body. */
const SLICE_CHARACTERS = 250_000;
/** Slices that are on their way at once. */
const AT_ONCE = 3;

/** Divides rows into slices that the server takes. */
export function slicesOf(rows: readonly ImportRow[]): ImportRow[][] {
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

/** An import on its way to the server: what is there already is not sent again when it is tried once more. */
export interface Sending {
  slices: readonly ImportRow[][];
  /** How numbers without a plus sign are read. */
  country?: string;
  options: Omit<ImportStart, 'slices' | 'totalRows'>;
  id: string | null;
  sent: Set<number>;
}

/**
 * Sends an import, or the rest of it; the server begins once all of it is there.
 * @returns its id
 */
export async function sendImport(place: Place, sending: Sending, onProgress: (rows: number) => void): Promise<string> {
  const { slices, country, options, sent } = sending;
  const totalRows = slices.reduce((sum, slice) => sum + slice.length, 0);
  const started = sending.id ?? (await announce(place, { ...options, slices: slices.length, totalRows }));
  sending.id = started;
  const rest = slices.keys();
  const work = async () => {
    for (const position of rest) {
      const rows = slices[position];
      if (!rows || sent.has(position)) continue;
      await call('PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position', {
        params: { ...place, id: started, position },
        body: { rows, country },
      });
      sent.add(position);
      onProgress([...sent].reduce((sum, each) => sum + (slices[each]?.length ?? 0), 0));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return started;
}

async function announce(place: Place, body: ImportStart): Promise<string> {
  return (await call('POST /accounts/:accountId/channels/:channelId/imports', { params: place, body })).id;
}
