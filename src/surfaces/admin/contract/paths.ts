import { Type } from '@sinclair/typebox';
import { PathId } from '../../http/ids.js';

/** Path of a resource of an account. */
export const AccountResourcePath = Type.Object({ accountId: PathId, id: PathId });

/** Path below a channel. */
export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });

/** Path of a resource of a channel. */
export const ChannelResourcePath = Type.Object({ accountId: PathId, channelId: PathId, id: PathId });
