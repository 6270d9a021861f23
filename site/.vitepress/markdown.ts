import { existsSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { PAGES, PROJECT, placeOf, titleOf } from './documents.ts';

/** What a link of a page leads to in the site. */
type Target = { href: string; page?: string } | { file: string };

/**
 * The anchor of a heading as git hosts make it, so that a link to it works there and here: lower case, blanks are hyphens,
 * and of the rest only letters, digits, hyphens and underscores stay.
 */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Where a link leads that is written for a reader of the repository: a page to its place in the site, the digest of the
 * OpenAPI document to the document. Other files are not in the site: they lead to the repository (DOCS_REPOSITORY_URL) where
 * that is known, and otherwise stay a path in plain text.
 * @throws when there is no such file
 */
export function resolveLink(href: string, from: string, repository = process.env.DOCS_REPOSITORY_URL): Target {
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, '');
  const file = join(PROJECT, target);
  if (!existsSync(file)) throw new Error(`${from} links to ${href}, and there is no ${target}`);
  const index = posix.join(target, 'README.md');
  const page = PAGES.has(target) ? target : PAGES.has(index) ? index : null;
  if (page) return { href: `/${placeOf(page)}${anchor}`, page };
  if (target === 'docs/openapi-digest.txt') return { href: '/openapi.json' };
  if (!repository) return { file: target };
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob';
  return { href: `${repository.replace(/\/$/, '')}/${kind}/main/${target}` };
}

/** How the pages are read: as a git host reads them, without what VitePress adds to Markdown. */
export const markdown: MarkdownOptions = {
  html: false,
  attrs: false,
  anchor: { slugify: anchorOf },
  config: (md) => {
    md.core.ruler.after('inline', 'heliograph_links', ({ tokens, env }) => {
      const from = relative(PROJECT, env.realPath ?? env.path).replaceAll('\\', '/');
      for (const { children } of tokens) {
        for (const [index, token] of (children ?? []).entries()) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          if (!href || /^(?:[a-z]+:|#)/i.test(href)) continue;
          const target = resolveLink(href, from);
          if ('file' in target) {
            token.attrs = [
              ['class', 'in-repository'],
              ['title', `${target.file}, in the repository`],
            ];
            continue;
          }
          token.attrSet('href', target.href);
          const text = children?.[index + 1];
          if (!target.page) token.attrSet('target', '_blank');
          // In the repository a page is called by its file, here by its title.
          else if (text && /^[\w./-]+(?:\.md|\/)$/.test(text.content)) text.content = titleOf(target.page);
        }
      }
    });
    // What looks like an expression of Vue is text, as everything else.
    for (const rule of ['text', 'code_inline'] as const) {
      const render = md.renderer.rules[rule];
      md.renderer.rules[rule] = (tokens, index, options, env, self) =>
        (render?.(tokens, index, options, env, self) ?? '').replaceAll('{{', '&#123;&#123;');
    }
  },
};
