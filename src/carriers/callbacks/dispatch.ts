import type { CallbackContext, CarrierCallbacks, CarrierType } from '../carrier-type.js';
import { loadCarrierTypes } from '../registry/carrier-store.js';
import { findCarrierType } from '../types.js';
import type { ClaimedCallback } from './callback-store.js';
import type { UnmatchedReport } from './unmatched/unmatched-report.js';

/** Callbacks of an unknown carrier are retried before they are set aside, because an operator may add the carrier again. */
export class UnknownCarrierError extends Error {
  constructor(carrier: string, reason: string) {
    super(`a callback of the carrier ${carrier} cannot be processed: ${reason}`);
    this.name = 'UnknownCarrierError';
  }
}

export interface DispatchOptions extends CallbackContext {
  types: readonly CarrierType[];
}

/**
 * Reads each carrier's type from the database, so that callbacks of disabled and new carriers are applied too. If a carrier is
 * unknown, the returned function rejects with an UnknownCarrierError before it applies any callback.
 * @throws {UnknownCarrierError}
 */
export function createCallbackDispatcher({
  types,
  ...context
}: DispatchOptions): (callbacks: readonly ClaimedCallback[]) => Promise<UnmatchedReport[]> {
  return async (callbacks) => {
    const names = [...new Set(callbacks.map(({ carrier }) => carrier))];
    const typeNames = await loadCarrierTypes(context.pool, names);
    const byType = new Map<CarrierCallbacks, ClaimedCallback[]>();
    for (const callback of callbacks) {
      const handler = findHandler(callback.carrier, typeNames.get(callback.carrier), types);
      const group = byType.get(handler);
      if (group) group.push(callback);
      else byType.set(handler, [callback]);
    }
    const unmatched: UnmatchedReport[] = [];
    for (const [{ apply }, group] of byType) unmatched.push(...(await apply(group, context)));
    return unmatched;
  };
}

function findHandler(carrier: string, type: string | undefined, types: readonly CarrierType[]): CarrierCallbacks {
  if (type === undefined) throw new UnknownCarrierError(carrier, 'no carrier of this name is set up');
  const { callbacks } = findCarrierType(type, types) ?? {};
  if (!callbacks) throw new UnknownCarrierError(carrier, `this version does not support callbacks of its type ${type}`);
  return callbacks;
}
