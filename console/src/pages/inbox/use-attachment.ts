import { useEffect, useRef, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { type UploadedFile, uploadFile } from '../../api/client/upload.js';

export interface AttachedFile {
  file: File;
  /** Uploaded fraction of the file, from 0 to 1. */
  progress: number;
  uploaded: UploadedFile | null;
  error: unknown;
}

/** Uploads a file immediately after it was chosen. */
export function useAttachment(channelRef: ChannelRef) {
  const [attached, setAttached] = useState<AttachedFile | null>(null);
  const upload = useRef<AbortController | null>(null);
  useEffect(() => () => upload.current?.abort(), []);
  const remove = () => {
    upload.current?.abort();
    upload.current = null;
    setAttached(null);
  };
  const attach = async (file: File) => {
    upload.current?.abort();
    const controller = new AbortController();
    upload.current = controller;
    // Updates of a file that has been removed or replaced are ignored.
    const update = (changes: Partial<AttachedFile>) => {
      if (upload.current === controller) setAttached((last) => last && { ...last, ...changes });
    };
    setAttached({ file, progress: 0, uploaded: null, error: null });
    try {
      const uploaded = await uploadFile(channelRef, file, {
        onProgress: (progress) => update({ progress }),
        signal: controller.signal,
      });
      update({ uploaded });
    } catch (error) {
      update({ error });
    }
  };
  return { attached, attach, remove };
}
