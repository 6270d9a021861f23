import type { CarrierType } from '../../carriers/carrier-type.js';
import { listCarriers } from '../../carriers/setup/carriers.js';
import { entriesFor, type ShownCarrier, showCarrier, unsupportedFor } from '../../carriers/setup/shown-carrier.js';
import { findReports } from '../../carriers/setup/status-store.js';
import { BUILT_IN_TYPES } from '../../carriers/types.js';
import { countWaiting } from '../../messages/queue/waiting-store.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { ProcessReport } from './carrier-status.js';

/** A carrier with its settings, and how it fares in each process that sends. */
export interface ListedCarrier extends Omit<ShownCarrier, 'createdAt' | 'updatedAt'> {
  /** It is always there: nobody sets it up or takes it away. */
  isBuiltIn: boolean;
  /** Messages in the store that are due for it, or wait for another try. */
  waiting: number;
  processes: readonly ProcessReport[];
  /** What is to be entered at the vendor's. */
  entries: { what: string; value: string }[];
  /** Settings that it goes on without, as this version does not run them. */
  unsupported: FieldProblem[];
  /** Null for one that is built in. */
  updatedAt: string | null;
}

/** All carriers: those that operators have set up, by name, and then the built-in ones. */
export async function listCarriersWithStatus(
  prisma: PrismaClient,
  types: readonly CarrierType[],
): Promise<ListedCarrier[]> {
  const [rows, reports, waiting] = await Promise.all([listCarriers(prisma), findReports(prisma), countWaiting(prisma)]);
  const setUp = rows.map((row): ListedCarrier => {
    const { name, type, isActive, settings, updatedAt } = showCarrier(row, types);
    const processes = reports.filter(({ carrier }) => carrier === name).map(({ carrier: _, ...report }) => report);
    return {
      name,
      type,
      isActive,
      settings,
      updatedAt,
      isBuiltIn: false,
      waiting: waiting.get(name) ?? 0,
      processes,
      entries: entriesFor(row, types),
      unsupported: unsupportedFor(row, types),
    };
  });
  const builtIn = BUILT_IN_TYPES.map(
    ({ type }): ListedCarrier => ({
      name: type,
      type,
      isActive: true,
      settings: {},
      updatedAt: null,
      isBuiltIn: true,
      waiting: waiting.get(type) ?? 0,
      processes: [],
      entries: [],
      unsupported: [],
    }),
  );
  return [...setUp, ...builtIn];
}
