import type { Carrier } from '../../carriers/carrier.js';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateChannel } from '../../carriers/templates.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';

/** The channel whose carrier is asked. */
export interface AskedChannel {
  kind: ChannelKind;
  carrier: string;
}

/** A channel of an account, of whose carrier something is asked. */
export interface OwnedChannel extends TemplateChannel, AskedChannel {
  accountId: string;
}

/**
 * @param channel of kind `whatsapp` unless told
 * @throws {AppError} FORBIDDEN for a channel that carries no WhatsApp messages, and so no templates
 */
export function requireWhatsapp({ kind = 'whatsapp' }: { kind?: ChannelKind }): void {
  if (kind !== 'whatsapp') throw new AppError('FORBIDDEN', 'The channel does not carry WhatsApp messages.');
}

/**
 * Asks the carrier of a WhatsApp channel for something beside a send.
 * @param lacks said of a carrier that cannot do it
 * @throws {AppError} FORBIDDEN for a channel of another kind; CARRIER_REFUSED with the carrier's reason, or because it cannot;
 * UNAVAILABLE when it may answer another time
 */
export async function askCarrier<T>(
  carriers: Pick<CarrierRegistry, 'get'>,
  channel: AskedChannel,
  ask: (carrier: Carrier) => Promise<T> | undefined,
  lacks = 'has no templates',
): Promise<T> {
  requireWhatsapp(channel);
  try {
    const asked = ask(carriers.get(channel.carrier));
    if (asked) return await asked;
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    if (!error.retryable)
      throw new AppError('CARRIER_REFUSED', error.message, [], {
        cause: error,
        carrierCode: error.code,
        forPeople: error.forPeople,
      });
    throw new AppError('UNAVAILABLE', `The carrier of the channel does not answer: ${error.message}`, [], {
      cause: error,
    });
  }
  throw new AppError('CARRIER_REFUSED', `The carrier of the channel ${lacks}.`);
}
