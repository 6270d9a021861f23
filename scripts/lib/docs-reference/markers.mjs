/**
 * Replaces the text between `<!-- generated: NAME -->` and `<!-- /generated -->`.
 * @param {string} text
 * @param {ReadonlyMap<string, string>} sections by name
 * @param {string} page for messages
 * @throws if a section has no marker, or a marker no section
 */
export function replaceSections(text, sections, page) {
  const missing = new Set(sections.keys());
  const replaced = text.replace(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_all, start, name, end) => {
      if (!missing.delete(name)) throw new Error(`${page}: "${name}" is not generated, or twice`);
      return `${start}\n${sections.get(name).trim()}\n\n${end}`;
    },
  );
  if (missing.size > 0) throw new Error(`${page} has no marker for ${[...missing].join(', ')}`);
  return replaced;
}

/** @param {string[]} head @param {string[][]} rows cells in Markdown */
export function renderTable(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text) => `\`${text}\``;
