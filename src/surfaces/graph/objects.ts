import type { FastifyRequest } from 'fastify';
import type { ChannelCaller, ChannelKey } from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { findGraphIds, toPhoneNumberId } from '../../features/channels/graph-ids.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import { missingScope } from '../http/authentication.js';
import type { UseCaseOptions } from '../http/use-case-options.js';

export type ObjectOptions = UseCaseOptions<typeof findGraphIds>;

/** The key's WhatsApp channels, oldest first. */
export function listCallers({ channelKey }: FastifyRequest): ChannelCaller[] {
  return whatsappCallers(channelKey);
}

/** A key's WhatsApp channels, oldest first. */
export function whatsappCallers({ callers }: Pick<ChannelKey, 'callers'>): ChannelCaller[] {
  return [...callers.values()]
    .filter(({ channel }) => channel.kind === 'whatsapp')
    .sort((a, b) => (a.channel.id < b.channel.id ? -1 : 1));
}

/** Finds a channel of the key by the ID of its phone number. */
export function findNumber(request: FastifyRequest, id: string): ChannelCaller | null {
  return listCallers(request).find(({ channel }) => toPhoneNumberId(channel) === id) ?? null;
}

/** The key's channels in a business account, oldest first. */
export async function findAccountChannels(
  options: ObjectOptions,
  request: FastifyRequest,
  businessAccountId: string,
): Promise<ChannelCaller[]> {
  const callers = listCallers(request);
  const ids = await findGraphIds(
    options,
    callers.map(({ channel }) => channel),
  );
  return callers.filter(({ channel }) => ids.get(channel.id)?.businessAccountId === businessAccountId);
}

/**
 * Attributes a request to a channel.
 * @throws {AppError} FORBIDDEN if the key lacks the scope
 */
export function actFor(request: FastifyRequest, caller: ChannelCaller, scope: OperationScope): ChannelCaller {
  // Set even for refused requests: they count as usage of the channel.
  request.caller = caller;
  if (!caller.scopes.includes('full') && !caller.scopes.includes(scope)) throw missingScope(scope);
  return caller;
}

/** The error for a missing object; the same if the key may not access it, so that IDs cannot be probed. */
export function objectNotFound(id: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `There is no object with the id ${quote(id)}, or the token may not access it, or it does not have this operation.`,
  );
}
