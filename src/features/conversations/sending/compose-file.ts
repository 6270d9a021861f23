import { type MediaKind, mediaKindOf } from '../../../carriers/media/media-types.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { findKept } from '../../media/media-store.js';
import { NO_MEDIA } from '../../media/require-media.js';
import type { SendTarget } from '../parties.js';
import type { ChannelSender, ReplyOptions, SendOptions } from './compose.js';
import { composeRichReply } from './compose-rich.js';

/** What is shown with a text under it. */
const CAPTIONED: ReadonlySet<MediaKind> = new Set<MediaKind>(['image', 'video', 'document']);

/**
 * A file of the channel as a reply: what kind of message it becomes is what its content is.
 * @throws {AppError} NOT_FOUND for a file that the channel does not keep; INVALID_REQUEST for a caption where WhatsApp shows
 * none; as `composeRichReply`
 */
export async function composeFileReply(
  options: ReplyOptions,
  sender: ChannelSender,
  { target, mediaId, caption }: { target: SendTarget; mediaId: string; caption?: string | undefined },
  how?: SendOptions,
): Promise<SendRequest> {
  const [file] = await findKept(options.pool, sender.channel.id, [mediaId]);
  if (!file) throw new AppError('NOT_FOUND', `mediaId ${NO_MEDIA}`, [{ field: 'mediaId', rule: NO_MEDIA }]);
  const type = mediaKindOf(file.mimeType) ?? 'document';
  if (caption !== undefined && !CAPTIONED.has(type)) {
    throw invalidField('caption', 'must not be sent with a sound or a sticker: WhatsApp shows none');
  }
  const named = type === 'document' && file.filename !== null ? { filename: file.filename } : {};
  const input = { type, [type]: { id: mediaId, ...(caption !== undefined && { caption }), ...named } };
  return composeRichReply(options, sender, { target, input }, how);
}
