import type { Static } from '@sinclair/typebox';
import type { UploadedData } from '../../../../src/surfaces/admin/contract/inbox/sends-schemas.js';
import type { ChannelRef } from '../channel-ref.js';
import { ApiError, notifySignedOut, parseError } from './request.js';

export type Uploaded = Static<typeof UploadedData>;

/**
 * Uploads a file to a channel. Uses XMLHttpRequest, because `fetch` does not report upload progress.
 * @param onProgress called with the uploaded share, from 0 to 1
 * @throws {ApiError} 400 if WhatsApp does not support the file type, 413 if the file is too large
 */
export function uploadFile(
  { accountId, channelId }: ChannelRef,
  file: File,
  { onProgress, signal }: { onProgress(part: number): void; signal: AbortSignal },
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const ask = new XMLHttpRequest();
    const form = new FormData();
    form.append('file', file);
    ask.open('POST', `/admin/v1/accounts/${accountId}/channels/${channelId}/media`);
    ask.setRequestHeader('accept', 'application/json');
    ask.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    ask.onerror = () => reject(new ApiError(0, 'UNREACHABLE', 'The server does not respond.'));
    ask.onabort = () => reject(new DOMException('The upload was canceled.', 'AbortError'));
    ask.onload = () => {
      if (ask.status === 200) {
        resolve((JSON.parse(ask.responseText) as { data: Uploaded }).data);
        return;
      }
      if (ask.status === 401) notifySignedOut();
      reject(parseError(ask.status, ask.responseText));
    };
    signal.addEventListener('abort', () => ask.abort());
    ask.send(form);
  });
}
