import type { CarrierType } from '../../carriers/carrier-type.js';
import { type CarrierView, findUnsupported, listEntries, toCarrierView } from '../../carriers/setup/carrier-view.js';
import { listCarriers } from '../../carriers/setup/carriers.js';
import { findReports } from '../../carriers/setup/status-store.js';
import { BUILT_IN_TYPES } from '../../carriers/types.js';
import { countQueuedByCarrier } from '../../messages/queue/queued-by-carrier-store.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { ProcessReport } from './carrier-status.js';

export interface ListedCarrier extends Omit<CarrierView, 'createdAt' | 'updatedAt'> {
  /** Built-in carriers cannot be created or deleted. */
  isBuiltIn: boolean;
  /** Number of due messages and of messages that wait for a retry. */
  waiting: number;
  processes: readonly ProcessReport[];
  entries: { what: string; value: string }[];
  unsupported: FieldProblem[];
  updatedAt: string | null;
}

/** Lists the configured carriers by name, followed by the built-in ones. */
export async function listCarriersWithStatus(
  prisma: PrismaClient,
  types: readonly CarrierType[],
): Promise<ListedCarrier[]> {
  const [rows, reports, waiting] = await Promise.all([
    listCarriers(prisma),
    findReports(prisma),
    countQueuedByCarrier(prisma),
  ]);
  const configured = rows.map((row): ListedCarrier => {
    const { name, type, isActive, settings, updatedAt } = toCarrierView(row, types);
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
      entries: listEntries(row, types),
      unsupported: findUnsupported(row, types),
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
  return [...configured, ...builtIn];
}
