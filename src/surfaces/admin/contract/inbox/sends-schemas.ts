import { Type } from '@sinclair/typebox';
import { MEDIA_TYPES } from '../../../../carriers/content.js';
import type { MediaKind } from '../../../../carriers/media/media-types.js';
import { WHATSAPP_CAPTION_LIMIT } from '../../../../messages/compose/v2-plan.js';
import { BodyId, IdUnlessDeleted } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../../http/validation.js';
import { ALTERNATIVE_TARGETS } from '../../../resources/people/people.js';
import { ReplyBody, SendStatus, TemplateSendBody } from '../../../resources/sends/channel-sends.js';
import { PlayedInbound } from '../../../resources/sends/played-inbound.js';

const to = Type.Optional(WrittenPhone('The recipient. Required unless userId or contactId is sent.'));
export const ConsoleReplyBody = Type.Object({ ...ReplyBody.properties, to }, { [NULL_IS_ABSENT]: true });
export const ConsoleTemplateBody = Type.Object({ ...TemplateSendBody.properties, to }, { [NULL_IS_ABSENT]: true });
export const ConsolePlayedBody = Type.Object({
  ...PlayedInbound.properties,
  from: Type.Optional(WrittenPhone('The sender. Required unless userId is sent.')),
});

const Kind = Type.Unsafe<MediaKind>({
  type: 'string',
  enum: [...MEDIA_TYPES],
  description: 'How WhatsApp displays it.',
});

export const UploadedData = Type.Object({
  id: Id,
  kind: Kind,
  mimeType: Type.String({ description: 'Detected from the content.', examples: ['image/jpeg'] }),
  size: Type.Integer({ description: 'In bytes.' }),
  filename: NullableText,
});

export const ConsoleFileBody = Type.Object(
  {
    to,
    ...ALTERNATIVE_TARGETS,
    mediaId: { ...BodyId, description: 'A file of the channel. Its content determines the type of the message.' },
    caption: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: WHATSAPP_CAPTION_LIMIT,
        description: 'Caption of an image, a video or a document.',
        [RULE]: `must be a text of 1 to ${WHATSAPP_CAPTION_LIMIT} characters`,
      }),
    ),
  },
  { [NULL_IS_ABSENT]: true },
);

export const SentData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  status: SendStatus,
});

export const PlayedData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});
