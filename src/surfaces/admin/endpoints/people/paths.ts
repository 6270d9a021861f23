import { Type } from '@sinclair/typebox';

const PathId = Type.String({ description: 'UUID; anything else is 404.' });

/** The path of what belongs to a channel. */
export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });

/** The path of one thing that belongs to a channel. */
export const ChannelThingPath = Type.Object({ accountId: PathId, channelId: PathId, id: PathId });
