import type { MediaSource } from '../../../src/carriers/media/carrier-media.js';

export const noMedia: MediaSource = {
  find: async () => null,
  ensureCopy: async () => {
    throw new Error('there are no media files');
  },
  forgetCopy: async () => undefined,
};
