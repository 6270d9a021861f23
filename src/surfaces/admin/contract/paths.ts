import { Type } from '@sinclair/typebox';
import { PathId } from '../../http/ids.js';

export const AccountResourcePath = Type.Object({ accountId: PathId, id: PathId });

export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });

export const ChannelResourcePath = Type.Object({ accountId: PathId, channelId: PathId, id: PathId });
