import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { ChannelSender } from '../../features/conversations/compose.js';
import { accountOf, channelOf } from './session-auth.js';

const PathId = Type.String({ description: 'UUID; anything else is 404.' });

/** The path of what belongs to an account, and of one such thing. */
export const AccountThingPath = Type.Object({ accountId: PathId, id: PathId });

/** The path of what belongs to a channel. */
export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });

/** The path of one thing that belongs to a channel. */
export const ChannelThingPath = Type.Object({ accountId: PathId, channelId: PathId, id: PathId });

/** On whose behalf the channel of a path sends. */
export function senderOf(request: FastifyRequest): ChannelSender {
  return { account: accountOf(request), channel: channelOf(request) };
}
