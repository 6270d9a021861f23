import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { createSidebar, findDescription, listExcludedFiles, PROJECT, toSitePath } from './documents.ts';
import { writePlainPages } from './llms.ts';
import { markdown } from './markdown.ts';

const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(PROJECT, 'console/icon.svg'), 'utf8'))}`;
const DESCRIPTION = 'A self-hosted messaging server: SMS and WhatsApp through one HTTP interface.';

/** The pages are outside this package and cannot resolve its Vue, so Vue stays an external import. */
const externalVue = {
  name: 'heliograph-vue',
  enforce: 'pre' as const,
  resolveId: (id: string, _importer: string | undefined, options: { ssr?: boolean }) =>
    options.ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : null,
};

/** The same files are also read on a git host. */
export default defineConfig({
  title: 'Heliograph',
  description: DESCRIPTION,
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  srcExclude: listExcludedFiles(),
  rewrites: toSitePath,
  outDir: resolve(import.meta.dirname, '../dist'),
  cacheDir: resolve(import.meta.dirname, '../node_modules/.cache/vitepress'),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }]],
  markdown,
  vite: {
    // The project's .env belongs to the server.
    envDir: false,
    publicDir: false,
    server: { watch: { ignored: ['**/.data/**', '**/dist/**'] } },
    plugins: [externalVue],
  },
  transformPageData: (page) => ({ description: findDescription(page.filePath) ?? DESCRIPTION }),
  buildEnd: ({ outDir }) => {
    copyFileSync(join(PROJECT, 'dist/openapi.json'), join(outDir, 'openapi.json'));
    writePlainPages(outDir, { title: 'Heliograph', description: DESCRIPTION, base: process.env.DOCS_BASE ?? '/' });
  },
  themeConfig: {
    logo: { src: ICON, alt: '' },
    nav: [
      { text: 'Quickstart', link: '/start/quickstart' },
      { text: 'API', link: '/reference/api-a' },
      { text: 'Errors', link: '/reference/errors' },
      { text: 'Run it', link: '/run/install' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: createSidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    notFound: {
      title: 'Page not found',
      quote: 'Find it in the list of all pages, or search.',
      link: '/documents',
      linkText: 'All pages',
      linkLabel: 'go to the list of all pages',
    },
    footer: { message: 'MIT licence' },
  },
});
