import { Type } from '@sinclair/typebox';
import { PathId } from '../../http/ids.js';

/** The path of what belongs to an account, and of one such thing. */
export const AccountThingPath = Type.Object({ accountId: PathId, id: PathId });

/** The path of what belongs to a channel. */
export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });

/** The path of one thing that belongs to a channel. */
export const ChannelThingPath = Type.Object({ accountId: PathId, channelId: PathId, id: PathId });
