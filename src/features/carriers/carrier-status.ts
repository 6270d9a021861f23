import { listCarriers, requireCarrier } from '../../carriers/setup/carriers.js';
import { unsupportedFor } from '../../carriers/setup/shown-carrier.js';
import { findReports, type StoredReport } from '../../carriers/setup/status-store.js';
import { builtInType } from '../../carriers/types.js';
import { countWaiting } from '../../messages/queue/waiting-store.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** A carrier, and how it fares in each process that sends. */
export interface CarrierStatus {
  name: string;
  type: string;
  isActive: boolean;
  /** Messages in the store that are due for it, or wait for another try. */
  waiting: number;
  processes: readonly ProcessReport[];
  /** Settings that it goes on without, as this version does not run them. */
  unsupported: readonly FieldProblem[];
}

/** What one process says of a carrier. */
export type ProcessReport = Omit<StoredReport, 'carrier'>;

/**
 * How the carriers that are set up fare, by name.
 * @param name of one carrier only, the simulator included
 * @throws {AppError} NOT_FOUND for a name that no carrier has
 */
export async function findCarrierStatus(prisma: PrismaClient, name?: string): Promise<CarrierStatus[]> {
  const builtIn = name === undefined ? null : builtInType(name);
  if (builtIn) {
    const waiting = (await countWaiting(prisma)).get(builtIn.type) ?? 0;
    return [{ name: builtIn.type, type: builtIn.type, isActive: true, waiting, processes: [], unsupported: [] }];
  }
  const rows = name === undefined ? await listCarriers(prisma) : [await requireCarrier(prisma, name)];
  const [reports, waiting] = [await findReports(prisma), await countWaiting(prisma)];
  return rows.map(({ name: each, type, isActive, settings }) => ({
    name: each,
    type,
    isActive,
    unsupported: unsupportedFor({ type, settings }),
    waiting: waiting.get(each) ?? 0,
    processes: reports.filter((report) => report.carrier === each).map(({ carrier: _, ...report }) => report),
  }));
}

/** The latest error that the connections of a carrier and its messages met in a process; null where there was none. */
export function lastErrorOf({ connections, lastError, lastErrorAt }: ProcessReport): { text: string; at: Date } | null {
  const errors = [{ lastError, lastErrorAt }, ...connections]
    .flatMap(({ lastError: text, lastErrorAt: at }) =>
      text === null || at === null ? [] : [{ text, at: new Date(at) }],
    )
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  return errors[0] ?? null;
}
