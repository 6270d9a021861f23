import { Type } from '@sinclair/typebox';

/** A field `version` of what two people may change at once. */
export const Version = Type.String({
  description:
    'Of what can be changed of it; a change sends it as `If-Match`, and is refused where it is another by then.',
  examples: ['Yk2Zc1x0Qm8'],
});

/** The headers of an endpoint that changes such a thing. */
export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'The `version` that was read. Where it is another by now: 412. Left out, or `*`: whatever it is.',
      maxLength: 200,
    }),
  ),
});
