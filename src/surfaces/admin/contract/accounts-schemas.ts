import { Type } from '@sinclair/typebox';
import { PathId } from '../../http/ids.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { Role } from './session-schemas.js';

export const AccountPath = Type.Object({ accountId: PathId });

export const AccountEntry = Type.Object({
  id: Id,
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  balance: Type.Number({ description: 'In units of the currency.', examples: [12.34] }),
  rateCard: Type.String({ examples: ['standard'] }),
  isActive: Type.Boolean({ description: 'Whether the account is enabled.' }),
  createdAt: Timestamp,
  role: Role,
});

export const ChannelEntry = Type.Object({
  id: Id,
  name: Type.String({ examples: ['Support'] }),
  kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
  phoneNumber: Type.String({ description: 'Digits with country code.', examples: ['15005550100'] }),
  carrier: Type.String({ examples: ['simulator'] }),
  isActive: Type.Boolean(),
  isDefault: Type.Boolean({ description: 'Sends messages that name no channel.' }),
});

export const AccountData = Type.Intersect([
  AccountEntry,
  Type.Object({
    channels: Type.Array(ChannelEntry),
    isLow: Type.Boolean({ description: 'The balance is zero, or below the amount set for notifications.' }),
    onlySimulated: Type.Boolean({
      description: 'Only the simulator is configured and enabled: no message leaves this server.',
    }),
  }),
]);
