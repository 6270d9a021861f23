import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { descriptionOf, excluded, PROJECT, placeOf, sidebar } from './documents.ts';
import { markdown } from './markdown.ts';

const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(PROJECT, 'console/icon.svg'), 'utf8'))}`;
const DESCRIPTION = 'A self-hosted messaging server: SMS and WhatsApp through one HTTP interface.';

/** The pages are outside this package and could not resolve its Vue, so Vue stays an external import. */
const vueOfThisPackage = {
  name: 'heliograph-vue',
  enforce: 'pre' as const,
  resolveId: (id: string, _importer: string | undefined, options: { ssr?: boolean }) =>
    options.ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : null,
};

/** README.md is the first page, followed by docs/. The same files are also read on a git host. */
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
    // The project's .env belongs to the server.
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
      { text: 'Operations', link: '/operations' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: sidebar(),
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
