import { existsSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { MarkdownOptions, MarkdownRenderer } from 'vitepress';
import { FIRST_PAGE, PAGES, PROJECT, readTitle, toSitePath } from './documents.ts';

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
 * Resolves a link between files of the repository. Pages lead to their path in the site, README.md to the first page, and
 * the digest of the OpenAPI document to the document. Other files lead to the repository if DOCS_REPOSITORY_URL is set, and otherwise become plain
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
  if (target === 'README.md') return { href: `/${toSitePath(FIRST_PAGE)}`, page: FIRST_PAGE };
  if (target === 'docs/openapi-digest.txt') return { href: '/openapi.json' };
  if (!repository) return { file: target };
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob';
  return { href: `${repository.replace(/\/$/, '')}/${kind}/main/${target}` };
}

/** Comments are for scripts, and raw HTML is off, so they would be shown as text. */
function skipComments(md: MarkdownRenderer): void {
  const skip: Parameters<typeof md.block.ruler.before>[2] = (state, startLine, _endLine, silent) => {
    const start = (state.bMarks[startLine] as number) + (state.tShift[startLine] as number);
    if (!state.src.startsWith('<!--', start)) return false;
    const end = state.src.indexOf('-->', start);
    if (end === -1) return false;
    if (!silent) state.line = startLine + state.src.slice(start, end).split('\n').length;
    return true;
  };
  md.block.ruler.before('paragraph', 'heliograph_comments', skip, { alt: ['paragraph', 'list', 'blockquote'] });
}

/** Shows which blocks are the output of a command, and the name of a file that is saved. */
function labelCode(md: MarkdownRenderer): void {
  const render = md.renderer.rules.fence as NonNullable<typeof md.renderer.rules.fence>;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index] as (typeof tokens)[number];
    const [, language = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(token.info) ?? [];
    const file = /^\[(.+)\]$/.exec(rest)?.[1];
    const label = rest === 'output' ? 'Output' : file;
    token.info = language;
    const html = render(tokens, index, options, env, self);
    token.info = `${language} ${rest}`.trim();
    if (label === undefined) return html;
    return `<div class="labelled-code"><p class="code-label">${md.utils.escapeHtml(label)}</p>${html}</div>`;
  };
}

/** Renders pages like a git host, without VitePress' extensions to Markdown. */
export const markdown: MarkdownOptions = {
  html: false,
  attrs: false,
  anchor: { slugify: toAnchor },
  config: (md) => {
    skipComments(md);
    labelCode(md);
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
