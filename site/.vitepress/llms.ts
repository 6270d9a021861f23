import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listSections, PAGES, readPage, readTitle, toSitePath } from './documents.ts';
import { resolveLink } from './markdown.ts';

interface Site {
  title: string;
  description: string;
  base: string;
}

/** Writes each page as Markdown at its URL with `.md`, the list `llms.txt`, and all user pages in `llms-full.txt`. */
export function writePlainPages(outDir: string, site: Site): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
  };
  for (const page of PAGES) write(toSitePath(page), toPlainMarkdown(page, site));
  const sections = listSections();
  const lists = sections.map(({ title, pages }) => {
    const items = pages.map(({ page, description }) => {
      return `- [${readTitle(page)}](${site.base}${toSitePath(page)}): ${description}`;
    });
    return `## ${title}\n\n${items.join('\n')}\n`;
  });
  const openApi = `- [OpenAPI document](${site.base}openapi.json): every operation\n`;
  write('llms.txt', `# ${site.title}\n\n> ${site.description}\n\n${lists.join('\n')}${openApi}`);
  const pages = sections.flatMap((section) => section.pages.map(({ page }) => toPlainMarkdown(page, site)));
  write('llms-full.txt', `${pages.join('\n\n')}\n`);
}

/** Removes comments and what only our scripts read, and points links at the plain pages. */
function toPlainMarkdown(page: string, site: Site): string {
  return readPage(page)
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith('```') ? toPlainCode(part) : toPlainProse(part, page, site)))
    .join('');
}

function toPlainCode(block: string): string {
  return block.replace(/^(```\w+) (?:output|needs=[\w-]+|\[.+\])$/m, '$1');
}

function toPlainProse(text: string, page: string, { base }: Site): string {
  return text
    .replace(/^<!--[\s\S]*?-->\n+/gm, '')
    .replace(/!\[([^\]]*)\]\([^)]+\)/g, '$1')
    .replace(/\[([^\]]+)\]\((?!#|[a-z]+:)([^)\s]+)\)/gi, (_link, label: string, href: string) => {
      const target = resolveLink(href, page);
      return 'file' in target ? label : `[${label}](${base}${target.href.slice(1)})`;
    });
}
