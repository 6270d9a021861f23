import type { Static } from '@sinclair/typebox';
import type { UploadedData } from '../../../../src/surfaces/admin/contract/inbox/sends-schemas.js';
import type { ChannelPlace } from '../inbox.js';
import { ApiError, errorIn, noteSignedOut } from './request.js';

/** A file that the server has. */
export type Uploaded = Static<typeof UploadedData>;

/**
 * Hands a file of a channel over. `fetch` tells nobody how far it is, so this asks by itself.
 * @param onProgress told the part that is sent, from 0 to 1
 * @throws {ApiError} 400 for a type that WhatsApp does not take, 413 for one that is too large
 */
export function uploadFile(
  { accountId, channelId }: ChannelPlace,
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
    ask.onerror = () => reject(new ApiError(0, 'UNREACHABLE', 'The server does not answer.'));
    ask.onabort = () => reject(new DOMException('The upload was given up.', 'AbortError'));
    ask.onload = () => {
      if (ask.status === 200) {
        resolve((JSON.parse(ask.responseText) as { data: Uploaded }).data);
        return;
      }
      if (ask.status === 401) noteSignedOut();
      reject(errorIn(ask.status, ask.responseText));
    };
    signal.addEventListener('abort', () => ask.abort());
    ask.send(form);
  });
}
