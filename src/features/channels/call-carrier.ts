import type { Carrier } from '../../carriers/carrier.js';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateChannel } from '../../carriers/templates.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';

export interface CarrierChannel {
  kind: ChannelKind;
  carrier: string;
}

export interface OwnedChannel extends TemplateChannel, CarrierChannel {
  accountId: string;
}

/** @throws {AppError} FORBIDDEN for SMS channels */
export function requireWhatsapp({ kind = 'whatsapp' }: { kind?: ChannelKind }): void {
  if (kind !== 'whatsapp') throw new AppError('FORBIDDEN', 'The channel does not carry WhatsApp messages.');
}

/**
 * Calls the carrier of a WhatsApp channel for any purpose except sending.
 * @param unsupportedText The end of the error text that begins with "The carrier of the channel".
 * @throws {AppError} FORBIDDEN for an SMS channel, or UNAVAILABLE if a retry may succeed.
 * CARRIER_REFUSED with the carrier's reason, or if the carrier does not support the call
 */
export async function callCarrier<T>(
  carriers: Pick<CarrierRegistry, 'get'>,
  channel: CarrierChannel,
  call: (carrier: Carrier) => Promise<T> | undefined,
  unsupportedText = 'has no templates',
): Promise<T> {
  requireWhatsapp(channel);
  try {
    const result = call(carriers.get(channel.carrier));
    if (result) return await result;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    if (!error.retryable)
      throw new AppError('CARRIER_REFUSED', error.message, [], {
        cause: error,
        carrierCode: error.code,
        carrierExplanation: error.carrierExplanation,
      });
    throw new AppError('UNAVAILABLE', `The carrier of the channel did not answer: ${error.message}`, [], {
      cause: error,
    });
  }
  throw new AppError('CARRIER_REFUSED', `The carrier of the channel ${unsupportedText}.`);
}
