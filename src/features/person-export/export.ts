import { FIRST_ID } from '../../platform/ids.js';
import { inboundMessages } from '../erasure/contacts.js';
import { TRACES } from '../erasure/erase.js';
import { messages } from '../erasure/messages.js';
import {
  campaignVariables,
  codeLimits,
  consentRequests,
  consents,
  inboundParts,
  optOuts,
  signInCodes,
  spendingLimits,
} from '../erasure/other-traces.js';
import type { RowKey } from '../erasure/other-traces-store.js';
import { findPersons, type PersonOptions, type PersonRef } from '../erasure/person.js';
import type { ErasureOptions, Trace } from '../erasure/trace.js';
import {
  CONTACT_TABLE_NAMES,
  type ContactTable,
  type ExportedRow,
  type KeyedTable,
  type MessageTable,
  readKeyedRows,
  readRows,
} from './export-store.js';

const KEYED_TRACES: readonly (readonly [KeyedTable, Trace])[] = [
  ['receivedParts', inboundParts],
  ['optOuts', optOuts],
  ['consents', consents],
  ['consentRequests', consentRequests],
  ['campaignVariables', campaignVariables],
  ['signInCodes', signInCodes],
  ['signInCodeLimits', codeLimits],
  ['spendingLimits', spendingLimits],
];

export type ExportTable = ContactTable | MessageTable | KeyedTable;

export interface PersonExport {
  /** The requested address, and all others of the same person. */
  addresses: string[];
  /** Rows by table, from the oldest to the newest. */
  tables: Record<ExportTable, ExportedRow[]>;
  /**
   * Counts of log entries and unprocessed reports about the person, by kind. Their content is left out, because it repeats the
   * tables and may name other people.
   */
  copies: Record<string, number>;
}

/** Counts the rows of tables that are not empty, for the audit log. */
export function countExportedRows({ tables }: PersonExport): Record<string, number> {
  const counts = Object.entries(tables).map(([table, rows]) => [table, rows.length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/**
 * Reads everything that `erasePerson` would erase, and the opt-outs and consent entries that it keeps.
 * @throws {AppError} as `findPersons`
 */
export async function exportPerson(
  options: ErasureOptions & PersonOptions,
  ref: Pick<PersonRef, 'address' | 'accountId'>,
): Promise<PersonExport> {
  const { pool } = options;
  const persons = await findPersons(options, { ...ref, forgetsOptOuts: true });
  const found = new Map<Trace, unknown[]>(TRACES.map((trace) => [trace, []]));
  const seen = new Set<string>();
  for (const person of persons) {
    for (const [trace, keys] of found) {
      await trace.visit(options, person, {
        floor: FIRST_ID,
        erases: false,
        seen,
        onFound: (rows) => keys.push(...rows),
      });
    }
  }
  const takeKeys = <Key>(trace: Trace): Key[] => {
    const keys = found.get(trace) as Key[];
    found.delete(trace);
    return keys;
  };
  const tables = {} as PersonExport['tables'];
  const contactIds = persons.flatMap(({ contacts }) => contacts.map(({ id }) => id));
  for (const table of CONTACT_TABLE_NAMES) tables[table] = await readRows(pool, table, contactIds);
  const inboundIds = takeKeys<string>(inboundMessages).sort();
  const messageIds = takeKeys<string>(messages).sort();
  tables.sentMessages = await readRows(pool, 'sentMessages', messageIds);
  tables.links = await readRows(pool, 'links', messageIds);
  tables.receivedMessages = await readRows(pool, 'receivedMessages', inboundIds);
  tables.receivedFiles = await readRows(pool, 'receivedFiles', inboundIds);
  for (const [table, trace] of KEYED_TRACES) {
    const keys = takeKeys<RowKey>(trace).map(({ key }) => key);
    tables[table] = await readKeyedRows(pool, table, keys);
  }
  const copies = [...found].filter(([, keys]) => keys.length > 0).map(([{ kind }, keys]) => [kind, keys.length]);
  return { addresses: persons.map(({ address }) => address).reverse(), tables, copies: Object.fromEntries(copies) };
}
