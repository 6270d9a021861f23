import type { Carrier } from '../../carriers/carrier.js';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';

/** The channel whose carrier is asked. */
export interface AskedChannel {
  kind: ChannelKind;
  carrier: string;
}

/** @throws {AppError} FORBIDDEN for a channel that sends no templates, such as one of kind `sms` */
export function requireTemplates({ kind }: Pick<AskedChannel, 'kind'>): void {
  if (kind !== 'whatsapp') throw new AppError('FORBIDDEN', 'The channel does not carry WhatsApp messages.');
}

/**
 * Asks a channel's carrier about templates.
 * @throws {AppError} FORBIDDEN for a channel that sends none; CARRIER_REFUSED with the carrier's reason, or because it has no templates; UNAVAILABLE when it may
 * answer another time
 */
export async function askCarrier<T>(
  carriers: Pick<CarrierRegistry, 'get'>,
  channel: AskedChannel,
  ask: (carrier: Carrier) => Promise<T> | undefined,
): Promise<T> {
  requireTemplates(channel);
  try {
    const asked = ask(carriers.get(channel.carrier));
    if (asked) return await asked;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    if (!error.retryable) throw new AppError('CARRIER_REFUSED', error.message, [], { cause: error });
    throw new AppError('UNAVAILABLE', `The carrier of the channel does not answer: ${error.message}`, [], {
      cause: error,
    });
  }
  throw new AppError('CARRIER_REFUSED', 'The carrier of the channel has no templates.');
}
