import { Type } from '@sinclair/typebox';

export const Version = Type.String({
  description:
    'Identifies the current state. Send it as `If-Match` with a change, which is refused if the resource has changed since.',
  examples: ['Yk2Zc1x0Qm8'],
});

export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `version` you read. The response is 412 if the resource has changed since. Absent or `*`: not checked.',
      maxLength: 200,
    }),
  ),
});
