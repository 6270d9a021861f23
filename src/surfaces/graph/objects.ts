import type { FastifyRequest } from 'fastify';
import type { ChannelCaller, ChannelKey } from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { findGraphIds, toPhoneNumberId } from '../../features/channels/graph-ids.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import { missingScope } from '../http/authentication.js';
import type { OptionsOf } from '../http/options-of.js';

export type ObjectOptions = OptionsOf<typeof findGraphIds>;

/** The channels of WhatsApp that the key of a request is bound to, the oldest first. */
export function callersOf({ channelKey }: FastifyRequest): ChannelCaller[] {
  return whatsappCallers(channelKey);
}

/** The channels of WhatsApp that a key is bound to, the oldest first. */
export function whatsappCallers({ callers }: Pick<ChannelKey, 'callers'>): ChannelCaller[] {
  return [...callers.values()]
    .filter(({ channel }) => channel.kind === 'whatsapp')
    .sort((a, b) => (a.channel.id < b.channel.id ? -1 : 1));
}

/** The channel whose number has an id; null where the key is bound to none such. */
export function numberOf(request: FastifyRequest, id: string): ChannelCaller | null {
  return callersOf(request).find(({ channel }) => toPhoneNumberId(channel) === id) ?? null;
}

/** The channels of a business account, the oldest first; none where the key is bound to none of it. */
export async function channelsOf(
  options: ObjectOptions,
  request: FastifyRequest,
  businessAccountId: string,
): Promise<ChannelCaller[]> {
  const callers = callersOf(request);
  const ids = await findGraphIds(
    options,
    callers.map(({ channel }) => channel),
  );
  return callers.filter(({ channel }) => ids.get(channel.id)?.businessAccountId === businessAccountId);
}

/**
 * Makes a request one on behalf of a channel.
 * @throws {AppError} FORBIDDEN where the key lacks the scope
 */
export function actFor(request: FastifyRequest, caller: ChannelCaller, scope: OperationScope): ChannelCaller {
  // Set for a refused request too: it counts as a use of the channel.
  request.caller = caller;
  if (!caller.scopes.includes('full') && !caller.scopes.includes(scope)) throw missingScope(scope);
  return caller;
}

/** What is said of an object that is not there, or that the key may not see: nothing tells the one from the other. */
export function noObject(id: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `There is no object with the id ${quote(id)}, or the token may not see it, or it does not have this operation.`,
  );
}
