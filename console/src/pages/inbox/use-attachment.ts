import { useEffect, useRef, useState } from 'react';
import { type Uploaded, uploadFile } from '../../api/asking/upload.js';
import type { ChannelPlace } from '../../api/inbox.js';

/** A file beside a reply: on its way to the server, there, or refused. */
export interface Attached {
  file: File;
  /** The part that is sent, from 0 to 1. */
  sent: number;
  uploaded: Uploaded | null;
  error: unknown;
}

/** The file beside a reply; it goes to the server as soon as it is chosen. */
export function useAttachment(place: ChannelPlace) {
  const [attached, setAttached] = useState<Attached | null>(null);
  const underWay = useRef<AbortController | null>(null);
  useEffect(() => () => underWay.current?.abort(), []);
  const remove = () => {
    underWay.current?.abort();
    underWay.current = null;
    setAttached(null);
  };
  const attach = async (file: File) => {
    underWay.current?.abort();
    const mine = new AbortController();
    underWay.current = mine;
    // What comes of a file that was taken away, or changed for another, is nobody's concern.
    const change = (news: Partial<Attached>) => {
      if (underWay.current === mine) setAttached((last) => last && { ...last, ...news });
    };
    setAttached({ file, sent: 0, uploaded: null, error: null });
    try {
      const uploaded = await uploadFile(place, file, {
        onProgress: (sent) => change({ sent }),
        signal: mine.signal,
      });
      change({ uploaded });
    } catch (error) {
      change({ error });
    }
  };
  return { attached, attach, remove };
}
