import { existsSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { PAGES, PROJECT, readTitle, toSitePath } from './documents.ts';

/** The target of a link in the site. */
type Target = { href: string; page?: string } | { file: string };

/**
 * Returns the anchor of a heading as git hosts generate it, so that links work there and here: lower case, with hyphens
 * for spaces and only letters, digits, hyphens and underscores.
 */
export function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Resolves a link between files of the repository. Pages lead to their path in the site, and the digest of the OpenAPI
 * document to the document. Other files lead to the repository if DOCS_REPOSITORY_URL is set, and otherwise become plain
 * text.
 * @throws if the file does not exist
 */
export function resolveLink(href: string, from: string, repository = process.env.DOCS_REPOSITORY_URL): Target {
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, '');
  const file = join(PROJECT, target);
  if (!existsSync(file)) throw new Error(`${from} links to ${href}, but ${target} does not exist`);
  const index = posix.join(target, 'README.md');
  const page = PAGES.has(target) ? target : PAGES.has(index) ? index : null;
  if (page) return { href: `/${toSitePath(page)}${anchor}`, page };
  if (target === 'docs/openapi-digest.txt') return { href: '/openapi.json' };
  if (!repository) return { file: target };
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob';
  return { href: `${repository.replace(/\/$/, '')}/${kind}/main/${target}` };
}

/** Renders pages like a git host, without VitePress' extensions to Markdown. */
export const markdown: MarkdownOptions = {
  html: false,
  attrs: false,
  anchor: { slugify: toAnchor },
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
          // Links in the repository show file names; the site shows titles.
          else if (text && /^[\w./-]+(?:\.md|\/)$/.test(text.content)) text.content = readTitle(target.page);
        }
      }
    });
    // Text that looks like a Vue expression must stay text.
    for (const rule of ['text', 'code_inline'] as const) {
      const render = md.renderer.rules[rule];
      md.renderer.rules[rule] = (tokens, index, options, env, self) =>
        (render?.(tokens, index, options, env, self) ?? '').replaceAll('{{', '&#123;&#123;');
    }
  },
};
