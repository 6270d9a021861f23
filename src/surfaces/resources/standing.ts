import { Type } from '@sinclair/typebox';
import { NullableTimestamp, Timestamp } from '../http/schemas/values.js';

const Nothing = Type.Null();

/** What a carrier says of a channel's number, as several surfaces show it. */
export const StandingFields = {
  messagingLimit: Type.Union([Type.String(), Nothing], {
    description:
      'How many people the number may begin to write to within a day, in the words of its carrier; null where it told none.',
    examples: ['TIER_1K'],
  }),
  qualityRating: Type.Union([Type.String(), Nothing], {
    description: 'RED where the carrier says that messages of the number are received badly; null otherwise.',
    examples: ['RED'],
  }),
  restrictions: Type.Array(
    Type.Object({
      type: Type.String({ description: "The carrier's word.", examples: ['RESTRICTED_BIZ_INITIATED_MESSAGING'] }),
      until: NullableTimestamp,
    }),
    { description: 'What the account at the carrier may not do for a while.' },
  ),
};

export const NoticeData = Type.Object({
  event: Type.String({ description: "The carrier's word for what happened.", examples: ['OBA_DENIED'] }),
  severity: Type.Union([Type.String(), Nothing], { description: "The carrier's word for how bad it is." }),
  text: Type.String(),
  at: Timestamp,
});
