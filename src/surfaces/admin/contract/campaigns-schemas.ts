import { type Static, type TArray, Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../http/schemas/phones.js';
import { RULE } from '../../http/validation.js';
import { NullablePhone } from '../../resources/people/people.js';
import {
  Campaign as CampaignOfChannel,
  MemberVariables,
  CampaignBody as OfChannel,
  Recipient,
} from '../../resources/records/campaign-schemas.js';

export { Recipient as CampaignRecipient };

const { memberVariables } = OfChannel.properties;
const Member = Type.Object(
  { ...MemberVariables.properties, phone: Type.Optional(WrittenPhone('As the contact has it.')) },
  { [RULE]: MemberVariables[RULE] },
);

/** As of Surface B, with numbers as people write them. */
export const CampaignBody = Type.Object(
  {
    ...OfChannel.properties,
    memberVariables: Type.Optional({ ...memberVariables, items: Member } as TArray<typeof Member>),
  },
  { examples: OfChannel.examples },
);

export const CampaignData = Type.Object({
  ...CampaignOfChannel.properties,
  groupName: Type.Union([Type.String(), Type.Null()], { description: 'Null once the group is deleted.' }),
  recipientCount: Type.Integer({
    description: 'Members that it has, counted when it began; before that, the members of its group by now.',
  }),
  leftCount: Type.Integer({
    description: 'Of them, those for whom no message was made: still to come, or kept back once it has ended.',
  }),
});

const Amount = Type.Number({ description: 'In units of the currency.', examples: [0.01] });

export const CampaignEstimateData = Type.Object({
  members: Type.Integer({ description: 'Members of the group.' }),
  passedOver: Type.Integer({ description: 'Members to whom a parameter would be empty: they get no message.' }),
  refused: Type.Integer({ description: 'Members whom the guard of the account refuses: they get no message.' }),
  optedOut: Type.Integer({ description: 'Members who have opted out: their messages are not sent, and refunded.' }),
  messages: Type.Integer({ description: 'Messages that are sent.' }),
  countries: Type.Array(
    Type.Object({
      callingCode: Type.String({ examples: ['49'] }),
      messages: Type.Integer(),
      price: Amount,
      total: Amount,
    }),
    { description: 'The most messages first.' },
  ),
  total: Amount,
  balance: Amount,
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  sample: Type.Union([Type.Object({ phone: NullablePhone, name: Type.String(), body: Type.String() }), Type.Null()], {
    description: 'What the first of them would read.',
  }),
});

export type CampaignView = Static<typeof CampaignData>;
