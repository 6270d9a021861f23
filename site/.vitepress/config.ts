import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { descriptionOf, excluded, PROJECT, placeOf, sidebar } from './documents.ts';
import { markdown } from './markdown.ts';

const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(PROJECT, 'console/icon.svg'), 'utf8'))}`;
const DESCRIPTION = 'A self-hosted messaging server: SMS and WhatsApp through one HTTP interface.';

/** The pages lie outside of this package, where its Vue would not be found: it stays an import of what runs in here. */
const vueOfThisPackage = {
  name: 'heliograph-vue',
  enforce: 'pre' as const,
  resolveId: (id: string, _importer: string | undefined, options: { ssr?: boolean }) =>
    options.ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : null,
};

/** The README is the first page, the pages of docs/ are the rest: they are written once, and read on a git host too. */
export default defineConfig({
  title: 'Heliograph',
  description: DESCRIPTION,
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '..',
  srcExclude: excluded(),
  rewrites: placeOf,
  outDir: resolve(import.meta.dirname, '../dist'),
  cacheDir: resolve(import.meta.dirname, '../node_modules/.cache/vitepress'),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }]],
  markdown,
  vite: {
    // The project's .env is the server's.
    envDir: false,
    publicDir: false,
    server: { watch: { ignored: ['**/.data/**', '**/dist/**'] } },
    plugins: [vueOfThisPackage],
  },
  transformPageData: (page) => ({ description: descriptionOf(page.filePath) ?? DESCRIPTION }),
  buildEnd: ({ outDir }) => copyFileSync(join(PROJECT, 'dist/openapi.json'), join(outDir, 'openapi.json')),
  themeConfig: {
    logo: { src: ICON, alt: '' },
    nav: [
      { text: 'Quick start', link: '/#quick-start' },
      { text: 'Console', link: '/console' },
      { text: 'Running it', link: '/operations' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    notFound: {
      title: 'There is no such page',
      quote: 'The list of documents names every page; the search finds what is in them.',
      link: '/documents',
      linkText: 'All documents',
      linkLabel: 'to the list of all documents',
    },
    footer: { message: 'MIT licence' },
  },
});
