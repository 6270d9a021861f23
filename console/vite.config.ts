import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** A compressed copy of a smaller file would save no packet. */
const WORTH_COMPRESSING = 1_400;

const BEST = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/** Adds compressed copies of scripts and style sheets. The server sends the smallest one that a browser accepts. */
const compressed: Plugin = {
  name: 'compressed',
  // After writing, because other plugins still change files before that.
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

/** `scripts/build.mjs` passes the output folder. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
  // The server replaces it with the nonce of each response.
  html: { cspNonce: '{nonce}' },
  build: {
    target: 'es2022',
    // Keep light-dark(): the colour scheme depends on the page's root element, not only on the system.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An inlined file would be a data: URL, which the content security policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  server: { proxy: { '^/(admin|api|v1.0|v2|openapi.json)': 'http://127.0.0.1:3000' } },
});
