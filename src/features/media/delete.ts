import type { MediaOptions } from './media.js';
import { type MediaOwner, markRemoved } from './media-store.js';
import { deleteRow } from './sweep-store.js';

/**
 * Deletes a file of a channel. Messages that name it and were not sent yet will fail.
 * @returns false where there is none
 */
export async function deleteMedia(
  { pool, files }: Pick<MediaOptions, 'pool' | 'files'>,
  owner: MediaOwner,
  id: string,
): Promise<boolean> {
  if (!(await markRemoved(pool, owner, id))) return false;
  // It is deleted by now: what fails here is made up for by a sweep.
  await files.remove(id).then(
    () => deleteRow(pool, id),
    () => undefined,
  );
  return true;
}
