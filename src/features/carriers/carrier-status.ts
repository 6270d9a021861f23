import { findUnsupported } from '../../carriers/setup/carrier-view.js';
import { listCarriers, requireCarrier } from '../../carriers/setup/carriers.js';
import { findReports, type StoredReport } from '../../carriers/setup/status-store.js';
import { findBuiltInType } from '../../carriers/types.js';
import { countQueuedByCarrier } from '../../messages/queue/queued-by-carrier-store.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

export interface CarrierStatus {
  name: string;
  type: string;
  isActive: boolean;
  /** Number of due messages and of messages that wait for a retry. */
  waiting: number;
  processes: readonly ProcessReport[];
  /** Settings that this version of Heliograph ignores. */
  unsupported: readonly FieldProblem[];
}

export type ProcessReport = Omit<StoredReport, 'carrier'>;

/**
 * @param name The only carrier to return, which may be the simulator.
 * @throws {AppError} NOT_FOUND for unknown names
 */
export async function findCarrierStatus(prisma: PrismaClient, name?: string): Promise<CarrierStatus[]> {
  const builtIn = name === undefined ? null : findBuiltInType(name);
  if (builtIn) {
    const waiting = (await countQueuedByCarrier(prisma)).get(builtIn.type) ?? 0;
    return [{ name: builtIn.type, type: builtIn.type, isActive: true, waiting, processes: [], unsupported: [] }];
  }
  const rows = name === undefined ? await listCarriers(prisma) : [await requireCarrier(prisma, name)];
  const [reports, waiting] = [await findReports(prisma), await countQueuedByCarrier(prisma)];
  return rows.map(({ name: each, type, isActive, settings }) => ({
    name: each,
    type,
    isActive,
    unsupported: findUnsupported({ type, settings }),
    waiting: waiting.get(each) ?? 0,
    processes: reports.filter((report) => report.carrier === each).map(({ carrier: _, ...report }) => report),
  }));
}

export function findLastError({
  connections,
  lastError,
  lastErrorAt,
}: ProcessReport): { text: string; at: Date } | null {
  const errors = [{ lastError, lastErrorAt }, ...connections]
    .flatMap(({ lastError: text, lastErrorAt: at }) =>
      text === null || at === null ? [] : [{ text, at: new Date(at) }],
    )
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  return errors[0] ?? null;
}
