import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Minimum size in bytes, because smaller files fit into one network packet without compression. */
const WORTH_COMPRESSING = 1_400;

const BEST = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/**
 * Writes .gz and .br copies of each script and style sheet, of which the server sends the smallest that the browser accepts.
 */
const compressed: Plugin = {
  name: 'compressed',
  // The plugin reads the written files, because other plugins may change the bundle before it is written.
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

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
  // The server replaces this placeholder with a new nonce in each response.
  html: { cspNonce: '{nonce}' },
  build: {
    target: 'es2022',
    // These browsers support light-dark(), whose polyfill would follow the system's color scheme instead of the page's.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Files are not inlined, because the content security policy blocks data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  server: { proxy: { '^/(admin|api|v1.0|v2|openapi.json)': 'http://127.0.0.1:3000' } },
});
