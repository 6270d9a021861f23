import type { MediaOptions } from './media.js';
import { type MediaOwner, markRemoved } from './media-store.js';
import { deleteRow } from './sweep-store.js';

/** Unsent messages that use the file will fail. Returns false if the file does not exist. */
export async function deleteMedia(
  { pool, files }: Pick<MediaOptions, 'pool' | 'files'>,
  owner: MediaOwner,
  id: string,
): Promise<boolean> {
  if (!(await markRemoved(pool, owner, id))) return false;
  // The file counts as deleted even if its bytes cannot be removed, because a sweep removes the bytes later.
  await files.remove(id).then(
    () => deleteRow(pool, id),
    () => undefined,
  );
  return true;
}
