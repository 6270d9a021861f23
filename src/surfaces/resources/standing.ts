import { Type } from '@sinclair/typebox';
import { NullableTimestamp, Timestamp } from '../http/schemas/values.js';

const Null = Type.Null();

export const StandingFields = {
  messagingLimit: Type.Union([Type.String(), Null], {
    description:
      'How many people the number may start conversations with per day, as the carrier words it; null if not reported.',
    examples: ['TIER_1K'],
  }),
  qualityRating: Type.Union([Type.String(), Null], {
    description: 'RED if the carrier reports poor quality for messages from this number; null otherwise.',
    examples: ['RED'],
  }),
  restrictions: Type.Array(
    Type.Object({
      type: Type.String({
        description: "The carrier's name for the restriction.",
        examples: ['RESTRICTED_BIZ_INITIATED_MESSAGING'],
      }),
      until: NullableTimestamp,
    }),
    { description: 'Temporary restrictions of the account at the carrier.' },
  ),
};

export const NoticeData = Type.Object({
  event: Type.String({ description: "The carrier's name of the event.", examples: ['OBA_DENIED'] }),
  severity: Type.Union([Type.String(), Null], { description: 'Severity as the carrier words it.' }),
  text: Type.String(),
  at: Timestamp,
});
