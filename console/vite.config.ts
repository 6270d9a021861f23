import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Below this many bytes a compressed copy saves no packet. */
const WORTH_COMPRESSING = 1_400;

const BEST = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/** Puts compressed copies beside each script and style sheet: the server hands out the smallest that a browser can read. */
const compressed: Plugin = {
  name: 'compressed',
  // Of the files as they lie there: until they are written, other plugins still change them.
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((each) => /\.(?:js|css)$/.test(each))) {
      const path = join(dir ?? '', name);
      const contents = readFileSync(path);
      if (contents.length < WORTH_COMPRESSING) continue;
      writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(contents, { params: BEST }));
    }
  },
};

/** `scripts/build.mjs` names the folder of the output. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
  // The server writes the nonce of each answer in its place.
  html: { cspNonce: '{nonce}' },
  build: {
    target: 'es2022',
    // Colours that follow the scheme need light-dark() as it is: they hang on what the page's root says, not on the system.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An inlined file would be a data: address, which the page may not load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  server: { proxy: { '^/(admin|api|v1.0|v2|openapi.json)': 'http://127.0.0.1:3000' } },
});
