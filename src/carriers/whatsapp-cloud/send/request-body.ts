import type { OutboundMessage } from '../../carrier.js';
import { DEFAULT_LANGUAGE } from '../../content.js';

/**
 * The body of `POST /{phone-number-id}/messages` for a message (Meta, "Messages API").
 *
 * `to` has a plus sign: without one Meta may put the country code of the sender before it. `biz_opaque_callback_data`
 * comes back with every status of the message, and names it even when the answer that holds its id was lost.
 */
export function requestBody({
  id,
  to,
  body,
  content,
}: Pick<OutboundMessage, 'id' | 'to' | 'body' | 'content'>): object {
  const head = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${to}`,
    biz_opaque_callback_data: id,
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
    case 'image':
      return { ...head, type: 'image', image: { link: content.url, ...captioned(body) } };
    case 'document':
      return {
        ...head,
        type: 'document',
        document: { link: content.url, ...captioned(body), ...(content.filename && { filename: content.filename }) },
      };
    default:
      return { ...head, type: 'text', text: { body, preview_url: content?.previewUrl ?? false } };
  }
}

/** Meta refuses an empty caption. */
function captioned(caption: string): { caption?: string } {
  return caption === '' ? {} : { caption };
}
