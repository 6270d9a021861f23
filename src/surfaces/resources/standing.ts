import { Type } from '@sinclair/typebox';
import { NullableTimestamp, Timestamp } from '../http/schemas/values.js';

const Null = Type.Null();

export const StandingFields = {
  messagingLimit: Type.Union([Type.String(), Null], {
    description:
      'How many people the number may start conversations with per day, in the carrier’s words; null if not reported.',
    examples: ['TIER_1K'],
  }),
  qualityRating: Type.Union([Type.String(), Null], {
    description: 'RED if the carrier reports poor quality for messages from this number; null otherwise.',
    examples: ['RED'],
  }),
  restrictions: Type.Array(
    Type.Object({
      type: Type.String({
        description: "The carrier's name for it.",
        examples: ['RESTRICTED_BIZ_INITIATED_MESSAGING'],
      }),
      until: NullableTimestamp,
    }),
    { description: 'Temporary restrictions of the account at the carrier.' },
  ),
};

export const NoticeData = Type.Object({
  event: Type.String({ description: "The carrier's name of the event.", examples: ['OBA_DENIED'] }),
  severity: Type.Union([Type.String(), Null], { description: 'Severity in the carrier’s words.' }),
  text: Type.String(),
  at: Timestamp,
});
