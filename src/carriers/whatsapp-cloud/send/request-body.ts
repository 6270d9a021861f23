import { toAttemptId } from '../../attempt-id.js';
import type { OutboundMessage } from '../../carrier.js';
import { DEFAULT_LANGUAGE, type MediaContent } from '../../content.js';
import { extractUserId } from '../../numbers/user-ids.js';

/**
 * Without a plus sign in `to`, Meta may prepend the sender's country code (Meta, "Messages API"). Meta accepts a user
 * ID in `to` but never delivers the message. Statuses repeat `biz_opaque_callback_data`, so they identify their message
 * and attempt even if the response was lost.
 */
export function buildRequestBody({
  id,
  attempt,
  to,
  body,
  content,
}: Pick<OutboundMessage, 'id' | 'attempt' | 'to' | 'body' | 'content'>): object {
  const head = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...buildRecipient(to),
    biz_opaque_callback_data: toAttemptId({ id, attempt }),
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
      return { ...head, type: content.type, [content.type]: buildMedia(content, body) };
    default:
      return { ...head, type: 'text', text: { ...content?.more, body, preview_url: content?.previewUrl ?? false } };
  }
}

function buildRecipient(to: string): { to: string } | { recipient: string } {
  const userId = extractUserId(to);
  return userId === null ? { to: `+${to}` } : { recipient: userId };
}

function buildMedia({ url, mediaId, filename, more }: MediaContent, caption: string): object {
  return {
    ...more,
    ...(mediaId === undefined ? { link: url } : { id: mediaId }),
    // Meta refuses an empty caption.
    ...(caption !== '' && { caption }),
    ...(filename && { filename }),
  };
}
