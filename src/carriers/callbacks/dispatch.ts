import type { CallbackContext, CarrierCallbacks, CarrierType } from '../carrier-type.js';
import { findCarrierTypes } from '../registry/carrier-store.js';
import { carrierType } from '../types.js';
import type { ClaimedCallback } from './callback-store.js';
import type { UnusedReport } from './kept/unused-report.js';

/**
 * A callback cannot be worked off: the carrier that it names was removed, or this version does not know how to read its
 * type's callbacks. The carrier may be set up again, so the callback is tried again before it is set aside.
 */
export class UnknownCarrierError extends Error {
  constructor(carrier: string, why: string) {
    super(`a callback of the carrier ${carrier} cannot be read: ${why}`);
    this.name = 'UnknownCarrierError';
  }
}

export interface DispatchOptions extends CallbackContext {
  types: readonly CarrierType[];
}

/**
 * Hands stored callbacks to the types of the carriers that they name, those of a type together. The type stands in the
 * carrier's row: a carrier that is switched off, or that another process opened just now, is known too.
 * @returns what works off a batch, and tells what of it no type uses. It rejects with UnknownCarrierError before anything is
 * applied
 */
export function dispatchCallbacks({
  types,
  ...context
}: DispatchOptions): (callbacks: readonly ClaimedCallback[]) => Promise<UnusedReport[]> {
  return async (callbacks) => {
    const names = [...new Set(callbacks.map(({ carrier }) => carrier))];
    const typeNames = await findCarrierTypes(context.pool, names);
    const byType = new Map<CarrierCallbacks, ClaimedCallback[]>();
    for (const callback of callbacks) {
      const reader = readerOf(callback.carrier, typeNames.get(callback.carrier), types);
      const known = byType.get(reader);
      if (known) known.push(callback);
      else byType.set(reader, [callback]);
    }
    const unused: UnusedReport[] = [];
    for (const [{ apply }, ofType] of byType) unused.push(...(await apply(ofType, context)));
    return unused;
  };
}

function readerOf(carrier: string, type: string | undefined, types: readonly CarrierType[]): CarrierCallbacks {
  if (type === undefined) throw new UnknownCarrierError(carrier, 'no carrier of this name is set up');
  const { callbacks } = carrierType(type, types) ?? {};
  if (!callbacks) throw new UnknownCarrierError(carrier, `its type ${type} takes no callbacks in this version`);
  return callbacks;
}
