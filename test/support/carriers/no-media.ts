import type { MediaSource } from '../../../src/carriers/media/carrier-media.js';

/** For carriers whose messages contain no files. */
export const noMedia: MediaSource = {
  find: async () => null,
  ensureCopy: async () => {
    throw new Error('there are no media files');
  },
  forgetCopy: async () => undefined,
};
