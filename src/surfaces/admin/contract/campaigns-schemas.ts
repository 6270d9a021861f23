import { type Static, type TArray, Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../http/schemas/phones.js';
import { RULE } from '../../http/validation.js';
import { CampaignChange as ChannelCampaignChange } from '../../resources/records/campaign-change.js';
import {
  Campaign as ChannelCampaign,
  CampaignBody as ChannelCampaignBody,
  MemberVariables,
  Recipient,
} from '../../resources/records/campaign-schemas.js';
import { CampaignTestBody as ChannelCampaignTestBody } from '../../resources/records/campaign-tests.js';

export { CampaignEstimateData } from '../../resources/records/campaign-estimates.js';
export { CampaignResultsRecord } from '../../resources/records/campaign-results.js';
export { CampaignTestData } from '../../resources/records/campaign-tests.js';
export { Recipient as CampaignRecipient };

const { memberVariables, recipients } = ChannelCampaignBody.properties;
const Member = Type.Object(
  { ...MemberVariables.properties, phone: Type.Optional(WrittenPhone("Equal to the contact's.")) },
  { [RULE]: MemberVariables[RULE] },
);

export const CampaignBody = Type.Object(
  {
    ...ChannelCampaignBody.properties,
    memberVariables: Type.Optional({ ...memberVariables, items: Member } as TArray<typeof Member>),
    recipients: Type.Optional({ ...recipients, items: WrittenPhone('A recipient.') } as TArray<
      ReturnType<typeof WrittenPhone>
    >),
  },
  { examples: ChannelCampaignBody.examples },
);

export const CampaignChange = Type.Object(
  {
    ...ChannelCampaignChange.properties,
    memberVariables: CampaignBody.properties.memberVariables,
    recipients: CampaignBody.properties.recipients,
  },
  { description: ChannelCampaignChange.description, examples: ChannelCampaignChange.examples },
);

const { to } = ChannelCampaignTestBody.properties;

export const CampaignTestBody = Type.Object(
  {
    ...ChannelCampaignTestBody.properties,
    to: { ...to, items: WrittenPhone('A number that gets the test.') } as TArray<ReturnType<typeof WrittenPhone>>,
  },
  { examples: ChannelCampaignTestBody.examples },
);

export const CampaignData = Type.Object({
  ...ChannelCampaign.properties,
  groupName: Type.Union([Type.String(), Type.Null()], {
    description: 'Null after the group was deleted, and where `groupId` is null.',
  }),
  recipientCount: Type.Integer({
    description: 'Members counted at the start; before the start, current members of the group or numbers on the list.',
  }),
  leftCount: Type.Integer({
    description: 'Members without a message so far. After the end, members who get none.',
  }),
});

export type CampaignView = Static<typeof CampaignData>;
