import { Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { NoticeData, StandingFields } from '../../../resources/standing.js';

const Null = Type.Null();
const Kind = Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] });
const Settings = Type.Record(Type.String(), Type.Unknown(), { examples: [{ phoneNumberId: '123456789012345' }] });

export const ChannelData = Type.Object({
  id: Id,
  name: Type.String({ examples: ['Support'] }),
  kind: Kind,
  phoneNumber: Type.String({ description: 'Digits with country code.', examples: ['15005550100'] }),
  carrier: Type.String({ examples: ['simulator'] }),
  carrierSettings: Type.Union([Settings, Null], { description: 'Settings that the carrier needs for this channel.' }),
  isDefault: Type.Boolean({ description: 'Sends messages that name no channel.' }),
  isActive: Type.Boolean({ description: 'Whether the channel is enabled.' }),
  health: Type.String({
    description: 'A problem reported by the carrier, otherwise `carrier_off`, `carrier_down` or `healthy`.',
    examples: ['healthy'],
  }),
  pausedAt: NullableTimestamp,
  pauseCode: Type.Union([Type.String(), Null], { description: 'Why the carrier paused it.' }),
  pauseReason: Type.Union([Type.String(), Null]),
  ...StandingFields,
  notices: Type.Array(NoticeData, { description: 'Notices of the carrier, newest first; at most ten.' }),
  graph: Type.Union(
    [
      Type.Object({
        phoneNumberId: Type.String({ examples: ['482913750264817'] }),
        businessAccountId: Type.String({ examples: ['715062938471523'] }),
      }),
      Null,
    ],
    { description: 'The IDs used on the Meta-compatible surface; null for SMS.' },
  ),
  createdAt: Timestamp,
});

export const NewChannelBody = Type.Object({
  kind: Kind,
  name: Type.String({ maxLength: 200, examples: ['Support'] }),
  phoneNumber: WrittenPhone('The number of the channel.'),
  carrier: Type.String({
    maxLength: 100,
    description: 'The simulator, or a configured carrier.',
    examples: ['simulator'],
  }),
  carrierSettings: Type.Optional(Settings),
  isDefault: Type.Optional(Type.Boolean({ description: 'Default: false. At most one per account and kind.' })),
});

export const ChannelSwitchBody = Type.Object({ isActive: Type.Boolean() });

export const ChannelCarrierBody = Type.Object({
  carrier: Type.Optional(Type.String({ maxLength: 100 })),
  set: Type.Optional(Settings),
  unset: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
});

export const ResumeData = Type.Object({ wasPaused: Type.Boolean() });

export const ChannelDeletionBody = Type.Object({
  phoneNumber: WrittenPhone('The number of the channel, which confirms that the right channel is deleted.'),
});

export const ChannelDeletionData = Type.Object({
  keys: Type.Integer({ description: 'Keys revoked because they were bound to this channel only.' }),
  automations: Type.Integer({ description: 'Disabled automations.' }),
  runs: Type.Integer({ description: 'Canceled runs of automations.' }),
  webhooks: Type.Integer({ description: 'Disabled webhooks.' }),
});
