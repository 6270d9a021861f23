import { findMediaKind, type MediaKind } from '../../../carriers/media/media-types.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { findStoredMedia } from '../../media/media-store.js';
import { NO_MEDIA } from '../../media/require-media.js';
import type { SendTarget } from '../parties.js';
import type { ChannelSender, ReplyOptions, SendOptions } from './compose.js';
import { composeRichReply } from './compose-rich.js';

const KINDS_WITH_CAPTION: ReadonlySet<MediaKind> = new Set<MediaKind>(['image', 'video', 'document']);

/**
 * The file's content determines the message type.
 * @throws {AppError} NOT_FOUND for an unknown file, INVALID_REQUEST for a caption that the media type does not support,
 * or any error of `composeRichReply`
 */
export async function composeFileReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { target, mediaId, caption }: { target: SendTarget; mediaId: string; caption?: string | undefined },
  sendOptions?: SendOptions,
): Promise<SendRequest> {
  const [file] = await findStoredMedia(options.pool, sender.channel.id, [mediaId]);
  if (!file) throw new AppError('NOT_FOUND', `mediaId ${NO_MEDIA}`, [{ field: 'mediaId', rule: NO_MEDIA }]);
  const type = findMediaKind(file.mimeType) ?? 'document';
  if (caption !== undefined && !KINDS_WITH_CAPTION.has(type)) {
    throw invalidField('caption', 'must not be sent with audio or a sticker: WhatsApp does not show it');
  }
  const filename = type === 'document' && file.filename !== null ? { filename: file.filename } : {};
  const input = { type, [type]: { id: mediaId, ...(caption !== undefined && { caption }), ...filename } };
  return composeRichReply(options, sender, { target, input }, sendOptions);
}
