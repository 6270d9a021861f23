import type { Static } from '@sinclair/typebox';
import type { UploadedData } from '../../../../src/surfaces/admin/contract/inbox/sends-schemas.js';
import type { ChannelRef } from '../channel-ref.js';
import { ApiError, notifySignedOut, parseError } from './request.js';

export type UploadedFile = Static<typeof UploadedData>;

/**
 * Uploads a file to a channel. Uses XMLHttpRequest, because `fetch` does not report upload progress.
 * @param onProgress called with the uploaded share, from 0 to 1
 * @throws {ApiError} 400 if WhatsApp does not support the file type, 413 if the file is too large
 */
export function uploadFile(
  { accountId, channelId }: ChannelRef,
  file: File,
  { onProgress, signal }: { onProgress(share: number): void; signal: AbortSignal },
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const form = new FormData();
    form.append('file', file);
    xhr.open('POST', `/admin/v1/accounts/${accountId}/channels/${channelId}/media`);
    xhr.setRequestHeader('accept', 'application/json');
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    xhr.onerror = () => reject(new ApiError(0, 'UNREACHABLE', 'The server does not respond.'));
    xhr.onabort = () => reject(new DOMException('The upload was canceled.', 'AbortError'));
    xhr.onload = () => {
      if (xhr.status === 200) {
        resolve((JSON.parse(xhr.responseText) as { data: UploadedFile }).data);
        return;
      }
      if (xhr.status === 401) notifySignedOut();
      reject(parseError(xhr.status, xhr.responseText));
    };
    signal.addEventListener('abort', () => xhr.abort());
    xhr.send(form);
  });
}
