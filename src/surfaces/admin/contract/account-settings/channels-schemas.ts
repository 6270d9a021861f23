import { Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { NoticeData, StandingFields } from '../../../resources/standing.js';

const Nothing = Type.Null();
const Kind = Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] });
const Settings = Type.Record(Type.String(), Type.Unknown(), { examples: [{ phoneNumberId: '123456789012345' }] });

export const ChannelData = Type.Object({
  id: Id,
  name: Type.String({ examples: ['Support'] }),
  kind: Kind,
  phoneNumber: Type.String({ description: 'Digits with country code.', examples: ['15005550100'] }),
  carrier: Type.String({ examples: ['simulator'] }),
  carrierSettings: Type.Union([Settings, Nothing], { description: 'What its carrier must know of it.' }),
  isDefault: Type.Boolean({ description: 'It sends what names no channel.' }),
  isActive: Type.Boolean({ description: 'It is not switched off.' }),
  health: Type.String({
    description: 'What its carrier found wrong with it, else `carrier_off` or `carrier_down`, else `healthy`.',
    examples: ['healthy'],
  }),
  pausedAt: NullableTimestamp,
  pauseCode: Type.Union([Type.String(), Nothing], { description: 'Why its carrier paused it.' }),
  pauseReason: Type.Union([Type.String(), Nothing]),
  ...StandingFields,
  notices: Type.Array(NoticeData, { description: 'What its carrier wanted read, the newest first, ten at the most.' }),
  graph: Type.Union(
    [
      Type.Object({
        phoneNumberId: Type.String({ examples: ['482913750264817'] }),
        businessAccountId: Type.String({ examples: ['715062938471523'] }),
      }),
      Nothing,
    ],
    { description: "Its ids on Meta's surface; null of SMS." },
  ),
  createdAt: Timestamp,
});

export const NewChannelBody = Type.Object({
  kind: Kind,
  name: Type.String({ maxLength: 200, examples: ['Support'] }),
  phoneNumber: WrittenPhone('The number of the channel.'),
  carrier: Type.String({
    maxLength: 100,
    description: 'The simulator, or one that is set up.',
    examples: ['simulator'],
  }),
  carrierSettings: Type.Optional(Settings),
  isDefault: Type.Optional(Type.Boolean({ description: 'False unless told; one per account and kind.' })),
});

export const ChannelSwitchBody = Type.Object({ isActive: Type.Boolean() });

export const ChannelCarrierBody = Type.Object({
  carrier: Type.Optional(Type.String({ maxLength: 100 })),
  set: Type.Optional(Settings),
  unset: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
});

export const ResumeData = Type.Object({ wasPaused: Type.Boolean() });

export const ChannelDeletionBody = Type.Object({
  phoneNumber: WrittenPhone('The number of the channel, so that no other one is deleted.'),
});

export const ChannelDeletionData = Type.Object({
  keys: Type.Integer({ description: 'Keys that were bound to it alone, and are revoked.' }),
  automations: Type.Integer({ description: 'Automations that were switched off.' }),
  runs: Type.Integer({ description: 'Runs of automations that were ended.' }),
  webhooks: Type.Integer({ description: 'Webhooks that were switched off.' }),
});
