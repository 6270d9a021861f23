import type { MediaSource } from '../../../src/carriers/media/carrier-media.js';

/** For carriers whose messages name no files. */
export const noMedia: MediaSource = {
  find: async () => null,
  copyOf: async () => {
    throw new Error('nobody has a file to hand over');
  },
  forgetCopy: async () => undefined,
};
