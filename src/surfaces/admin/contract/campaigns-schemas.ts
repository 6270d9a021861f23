import { type Static, type TArray, Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../http/schemas/phones.js';
import { RULE } from '../../http/validation.js';
import { NullablePhone } from '../../resources/people/people.js';
import {
  Campaign as ChannelCampaign,
  CampaignBody as ChannelCampaignBody,
  MemberVariables,
  Recipient,
} from '../../resources/records/campaign-schemas.js';

export { CampaignResultsRecord } from '../../resources/records/campaign-results.js';
export { Recipient as CampaignRecipient };

const { memberVariables } = ChannelCampaignBody.properties;
const Member = Type.Object(
  { ...MemberVariables.properties, phone: Type.Optional(WrittenPhone("Equal to the contact's.")) },
  { [RULE]: MemberVariables[RULE] },
);

export const CampaignBody = Type.Object(
  {
    ...ChannelCampaignBody.properties,
    memberVariables: Type.Optional({ ...memberVariables, items: Member } as TArray<typeof Member>),
  },
  { examples: ChannelCampaignBody.examples },
);

export const CampaignData = Type.Object({
  ...ChannelCampaign.properties,
  groupName: Type.Union([Type.String(), Type.Null()], { description: 'Null after the group was deleted.' }),
  recipientCount: Type.Integer({
    description: 'Members counted at the start; before the start, current members of the group.',
  }),
  leftCount: Type.Integer({
    description: 'Members without a message so far. After the end, members who get none.',
  }),
});

const Amount = Type.Number({ description: 'In units of the currency.', examples: [0.01] });

export const CampaignEstimateData = Type.Object({
  members: Type.Integer({ description: 'Members of the group.' }),
  passedOver: Type.Integer({ description: 'Members who get no message because a template parameter would be empty.' }),
  refused: Type.Integer({ description: "Members who get no message because the account's spending guard refuses it." }),
  optedOut: Type.Integer({ description: 'Members who have opted out. Their messages are refunded and not sent.' }),
  messages: Type.Integer({ description: 'Messages that would be sent.' }),
  countries: Type.Array(
    Type.Object({
      callingCode: Type.String({ examples: ['49'] }),
      messages: Type.Integer(),
      price: Amount,
      total: Amount,
    }),
    { description: 'Ordered by number of messages, largest first.' },
  ),
  total: Amount,
  balance: Amount,
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  sample: Type.Union([Type.Object({ phone: NullablePhone, name: Type.String(), body: Type.String() }), Type.Null()], {
    description: 'The message as the first member would receive it.',
  }),
});

export type CampaignView = Static<typeof CampaignData>;
