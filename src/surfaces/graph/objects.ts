import type { FastifyRequest } from 'fastify';
import type { ChannelCaller, ChannelKey } from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { findGraphIds, toPhoneNumberId } from '../../features/channels/graph-ids.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import { missingScope } from '../http/authentication.js';
import type { UseCaseOptions } from '../http/use-case-options.js';

export type ObjectOptions = UseCaseOptions<typeof findGraphIds>;

/** Oldest first. */
export function listCallers({ channelKey }: FastifyRequest): ChannelCaller[] {
  return listWhatsappCallers(channelKey);
}

/** Oldest first. */
export function listWhatsappCallers({ callers }: Pick<ChannelKey, 'callers'>): ChannelCaller[] {
  return [...callers.values()]
    .filter(({ channel }) => channel.kind === 'whatsapp')
    .sort((a, b) => (a.channel.id < b.channel.id ? -1 : 1));
}

export function findNumber(request: FastifyRequest, id: string): ChannelCaller | null {
  return listCallers(request).find(({ channel }) => toPhoneNumberId(channel) === id) ?? null;
}

/** Oldest first. */
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

/** @throws {AppError} FORBIDDEN if the key lacks the scope */
export function actFor(request: FastifyRequest, caller: ChannelCaller, scope: OperationScope): ChannelCaller {
  // The caller is set even for refused requests, because they count as usage of the channel.
  request.caller = caller;
  if (!caller.scopes.includes('full') && !caller.scopes.includes(scope)) throw missingScope(scope);
  return caller;
}

/** The error is the same for an object that the key may not access, so that IDs cannot be probed. */
export function objectNotFound(id: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `There is no object with the id ${quote(id)}, or the token may not access it, or it does not have this operation.`,
  );
}
