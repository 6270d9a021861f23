import { attemptId } from '../../attempt-id.js';
import type { OutboundMessage } from '../../carrier.js';
import { DEFAULT_LANGUAGE, type MediaContent } from '../../content.js';
import { userIdIn } from '../../numbers/user-ids.js';

/**
 * The body of `POST /{phone-number-id}/messages` for a message (Meta, "Messages API").
 *
 * `to` has a plus sign: without one Meta may put the country code of the sender before it. Whoever has no number is named
 * by `recipient`; an id in `to` would be taken and lost. Meta repeats `biz_opaque_callback_data` in every status, so a
 * status names its message and attempt even if the response with Meta's ID was lost.
 */
export function requestBody({
  id,
  attempt,
  to,
  body,
  content,
}: Pick<OutboundMessage, 'id' | 'attempt' | 'to' | 'body' | 'content'>): object {
  const head = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...addressedTo(to),
    biz_opaque_callback_data: attemptId({ id, attempt }),
    ...(content?.quotes !== undefined && { context: { message_id: content.quotes } }),
  };
  switch (content?.type) {
    case 'template':
      return {
        ...head,
        type: 'template',
        template: {
          name: content.name,
          language: { code: content.language || DEFAULT_LANGUAGE },
          ...(content.components.length > 0 && { components: content.components }),
        },
      };
    case 'interactive':
    case 'reaction':
    case 'location':
    case 'contacts':
      return { ...head, type: content.type, [content.type]: content.object };
    case 'image':
    case 'document':
    case 'video':
    case 'audio':
    case 'sticker':
      return { ...head, type: content.type, [content.type]: mediaOf(content, body) };
    default:
      return { ...head, type: 'text', text: { ...content?.more, body, preview_url: content?.previewUrl ?? false } };
  }
}

function addressedTo(to: string): { to: string } | { recipient: string } {
  const userId = userIdIn(to);
  return userId === null ? { to: `+${to}` } : { recipient: userId };
}

function mediaOf({ url, mediaId, filename, more }: MediaContent, caption: string): object {
  return {
    ...more,
    ...(mediaId === undefined ? { link: url } : { id: mediaId }),
    // Meta refuses an empty caption.
    ...(caption !== '' && { caption }),
    ...(filename && { filename }),
  };
}
